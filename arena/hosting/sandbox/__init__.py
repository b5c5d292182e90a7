"""Isolation of bots, from the policy to the bytes passed to the kernel."""
