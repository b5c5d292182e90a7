"""Two kinds of schedules outside of arena, as a package would bring them."""
