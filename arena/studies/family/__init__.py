"""Matches of several candidates, to find the best one or those that beat a baseline."""
