"""Read files that people wrote, with the place of every key, value and mistake."""
