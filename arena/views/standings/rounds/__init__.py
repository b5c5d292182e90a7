"""What is shown of a run by rounds: places, brackets, ladders, and its file for chess programs."""
