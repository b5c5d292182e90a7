"""How many games a question takes."""
