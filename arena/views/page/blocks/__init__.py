"""Contents of the page of a run, section by section."""
