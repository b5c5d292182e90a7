"""Read files that people wrote, with the place of every key, value and mistake.

Public modules, from which other floors may import:

    bad_input, document, overrides, problems, reading, values
"""
