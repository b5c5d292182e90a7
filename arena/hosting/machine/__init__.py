"""What the kernel tells of processes and lets us limit."""
