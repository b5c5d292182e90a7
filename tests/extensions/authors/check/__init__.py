"""What a check finds, and what it does not."""
