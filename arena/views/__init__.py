"""Views of a stored run: a folder for each thing that people look at."""
