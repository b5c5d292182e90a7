"""The wire: message shapes and framing. Knows no rules of any game, no pipes and no clocks."""
