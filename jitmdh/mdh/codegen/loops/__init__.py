"""Loops over tiles, accumulators, re-composition."""
