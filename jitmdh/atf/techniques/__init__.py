"""Search techniques, one a file."""
