"""Commands of the games that come with arena."""
