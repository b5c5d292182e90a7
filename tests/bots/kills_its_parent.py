import os
import signal

from honest import play

play(act=lambda message: os.kill(os.getppid(), signal.SIGKILL))
