"""The tables of runs by rounds: places by points, the bracket of a knockout, those of a ladder."""
