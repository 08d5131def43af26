"""Several expressions of a program at once: under one loop, in tiles, on lanes, or as one expression."""
