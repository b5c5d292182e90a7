import time

from honest import answer, play


def sleep(message):
    time.sleep(0.45)
    answer(message)


if __name__ == "__main__":
    play(act=sleep)
