"""Who meets whom, on which deals and in which order: pure functions of a config and a seed."""
