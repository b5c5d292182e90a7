"""Several candidates that are compared at once."""
