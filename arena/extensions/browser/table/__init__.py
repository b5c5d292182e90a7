"""A table at which a person plays against bots."""
