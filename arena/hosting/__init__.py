"""The only code that starts, pins and kills processes. Knows no rules and no messages."""
