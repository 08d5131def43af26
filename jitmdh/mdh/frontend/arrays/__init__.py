"""Functions and expressions on whole arrays."""
