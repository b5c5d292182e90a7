import os

from honest import play

play(act=lambda message: os._exit(0))
