"""Tables and drawings of a page, and their axes."""
