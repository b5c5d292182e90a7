"""One game: turns, deadlines, faults. Knows no pairings, ratings or files."""
