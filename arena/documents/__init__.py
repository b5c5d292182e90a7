"""What people wrote: read, with the place of every key and value, and what is wrong with it."""
