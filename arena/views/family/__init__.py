"""What is shown of several candidates."""
