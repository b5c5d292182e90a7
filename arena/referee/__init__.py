"""The referee of one game: turns, deadlines, faults. Knows no pairings, ratings or files."""
