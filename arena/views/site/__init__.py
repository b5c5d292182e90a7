"""A competition as a folder of static pages, for any web server.

``write`` is the door. ``model`` reads a run and joins what is shown: ``steps`` cut it into rounds
or days, ``gather`` counts what the standings do not, ``history`` rates what there was before, and
``extra`` is what only a ladder knows. ``pages`` say it, ``html`` makes files of them, and
``folder`` writes those that are not there yet. Nothing is told that a public pack would not tell.
"""
