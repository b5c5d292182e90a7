from honest import play, send

play(start=lambda message: send(type="action", id="0123456789abcdef", action=0))
