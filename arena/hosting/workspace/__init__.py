"""Folders of the bots of a run, and their removal."""
