"""Machines as facts: layers of memory and of cores (Definition 13)."""
