import sys

from honest import play

play(over=lambda message: sys.exit(5))
