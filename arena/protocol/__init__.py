"""Protocol on the wire: message types and framing. Knows no rules of games, no pipes, no clocks."""
