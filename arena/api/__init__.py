"""What programs import: the names of ``arena``, which ``arena/__init__.py`` loads when used.

Public modules, from which other floors may import:

    schemas
"""
