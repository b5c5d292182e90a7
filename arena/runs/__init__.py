"""The run folder: how it is written so that nothing is lost, how it is read, how it is proved."""
