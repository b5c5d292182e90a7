"""What a page of a run says, section by section."""
