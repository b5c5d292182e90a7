"""A folder for ``PYTHONPATH`` that contains only ``arena``."""
