"""The unveiling of a final table, from the last place to the first, as a page and as text.

``steps`` compares two tables of one run; ``page`` draws them for a projector.
"""
