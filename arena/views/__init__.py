"""What a stored run shows: a folder for each thing that people look at."""
