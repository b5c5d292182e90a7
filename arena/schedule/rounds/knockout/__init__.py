"""Knockouts: the next ties, folded from what was decided so far.

Import from ``bracket``. Two seats make a bracket that is fixed beforehand, with one life or two.
Three and four seats make rounds of tables, and the best of each table advance.
"""
