"""Pages in a real browser: Chromium without a window, driven from here.

Screenshots go to the folder that ARENA_SCREENSHOTS names, or else nowhere.
"""
