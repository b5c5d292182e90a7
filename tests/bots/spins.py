import time

from honest import answer, play


def spin(message):
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    answer(message)


play(act=spin)
