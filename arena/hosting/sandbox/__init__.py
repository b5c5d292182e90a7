"""How far a bot is kept apart, from the policy to the bytes that the kernel takes."""
