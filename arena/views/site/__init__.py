"""A competition as a folder of static pages, for any web server.

``write`` is the entry point; ``writer`` writes what has changed. ``model`` reads a run and joins
what is shown: ``steps`` divides it into rounds or days, ``gather`` counts what the standings do
not, and ``history`` rates past rounds. ``pages`` writes the contents, ``html`` makes files from
them, and ``folder`` writes the files that are missing. ``options`` says what is wanted.
Nothing is published that a public pack would not hold.
"""
