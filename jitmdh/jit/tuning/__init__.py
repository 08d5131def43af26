"""`f.tune`."""
