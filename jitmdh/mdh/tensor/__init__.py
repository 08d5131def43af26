"""Known zeros: patterns, what a product leaves of them, and the order of a contraction that takes the least work."""
