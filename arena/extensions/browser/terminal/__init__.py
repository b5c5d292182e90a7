"""One game on a terminal, step by step, with the keys of the viewer."""
