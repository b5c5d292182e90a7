"""Read files that people wrote, with the place of every key, value and mistake.

Also read quantities with units, and apply the overrides of ``--set``.

Public modules, from which other floors may import:

    answer, bad_input, document, files, option, overrides, problems, reading, schema, values
"""
