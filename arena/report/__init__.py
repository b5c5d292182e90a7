"""Shows results to people and programs; computes nothing that could change a verdict."""
