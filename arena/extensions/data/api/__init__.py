"""Public names of ``arena`` for Python programs; ``arena/__init__.py`` lists them."""
