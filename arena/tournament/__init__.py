"""Play a run: prepare it, give out its blocks and keep the results, by means of executors."""
