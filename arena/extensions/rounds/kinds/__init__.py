"""The kinds of schedules that are paired by rounds, and their interface."""
