"""Words and numbers for people: names made safe, durations, columns."""
