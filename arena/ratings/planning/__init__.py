"""How many games a question takes, and what games already played tell of those to come."""
