"""Packages of others that bring games: what they return is checked, and how they fail is named."""
