"""Spaces whose costs are known: tuning replayed, techniques compared."""
