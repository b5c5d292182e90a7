"""Start, pin and kill bot processes; no other code does. Knows no rules and no messages."""
