"""Chess and Chess960: the rules and the display."""
