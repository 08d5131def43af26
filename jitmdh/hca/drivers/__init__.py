"""One driver a file."""
