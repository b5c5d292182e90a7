from honest import play, send

play(hello=lambda message: send(type="ready", protocol=99))
