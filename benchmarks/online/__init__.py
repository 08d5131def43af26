"""Loops that tune themselves: `python -m benchmarks.online`."""
