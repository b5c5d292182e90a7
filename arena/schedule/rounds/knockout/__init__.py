"""Knockouts: who meets whom next, folded from what was decided so far.

``fold`` is the door. Two seats make a bracket that is laid out beforehand, with one life or two;
three and four seats make rounds of tables, of each of which the best go on.
"""
