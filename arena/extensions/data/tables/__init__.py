"""The games of runs as tables, for programs that analyse them.

``columns`` describes the tables, ``stream`` and ``moves`` fill them, ``source`` says who sees what.
"""
