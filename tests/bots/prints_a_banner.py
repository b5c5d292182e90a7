from honest import play

print("Toy bot 2000 (c) me", flush=True)
play()
