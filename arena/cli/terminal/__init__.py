"""Terminal parts shared by all commands: streams, colour, progress, screens."""
