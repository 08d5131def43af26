"""Passes on how memory is accessed: addresses, stores as whole lines, prefetches."""
