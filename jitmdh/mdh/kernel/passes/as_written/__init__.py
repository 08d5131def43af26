"""Loops that follow a source: which branches they had, how many rounds there are, several rounds at a time."""
