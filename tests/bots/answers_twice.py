from honest import answer, play


def twice(message):
    answer(message)
    answer(message)


play(act=twice)
