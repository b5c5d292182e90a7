"""A competition as a folder of static pages, for any web server.

``write`` is the entry point; ``writer`` writes what has changed. ``model`` adds rounds or days to
the results that ``page.counting`` gathers, and ``history`` rates past ones. ``standings``,
``pages``, ``rounds`` and ``feed`` are the pages, ``html`` makes files from them, and
``folder`` writes the files that are missing. Nothing is published that a public pack would not
hold.
"""
