"""Words and numbers for people: safe names, durations, columns."""
