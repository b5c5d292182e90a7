"""Games of a person against bots: the deals, the bots and the referee in its own thread."""
