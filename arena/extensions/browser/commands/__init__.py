"""The commands of this extension, a module for each."""
