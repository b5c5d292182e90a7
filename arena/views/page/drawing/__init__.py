"""Tables and drawings of a page, and the axes below them."""
