"""A competition as a folder of static pages, for any web server.

``gather`` counts what the standings do not, ``history`` rates what there was before, ``model``
joins what is shown, ``pages`` turn it into HTML, and ``folder`` writes of it what is not there yet.
Nothing is told that a public pack would not tell.
"""
