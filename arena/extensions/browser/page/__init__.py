"""Pages of a run for a browser: a report is one page, a site is many.

``counting`` gathers what both show; ``bots``, ``deals``, ``run`` and ``standings`` turn it into
blocks of typed cells, and ``html`` draws these. ``report`` and ``render`` make the one page of a
report, with games to step through; the pages of a site are in ``site``. ``model`` has the
values of pages.
"""
