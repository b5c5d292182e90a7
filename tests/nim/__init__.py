"""A game without chance from outside of arena: Nim."""
