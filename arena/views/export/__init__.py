"""What is handed to whom after a run: packs of games with the view of one bot or of spectators."""
