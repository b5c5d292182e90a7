"""Commands for those who hold a competition."""
