"""The tournament file: its keys, its defaults, and the parts that decide a run."""
