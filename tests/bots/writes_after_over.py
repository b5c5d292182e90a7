from honest import answer, play

play(over=lambda message: answer({"id": "0"}))
