import sys

from honest import play


def fail(message):
    print("my last words", file=sys.stderr)
    sys.exit(1)


play(act=fail)
