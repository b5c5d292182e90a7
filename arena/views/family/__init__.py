"""Reports on several candidates, for people and CI systems."""
