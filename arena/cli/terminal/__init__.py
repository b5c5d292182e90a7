"""What all commands share: streams, colour, progress, screens."""
