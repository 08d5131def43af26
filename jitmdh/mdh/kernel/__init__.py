"""Kernel IR: loops, vectors, loads and stores, the same for every target."""
