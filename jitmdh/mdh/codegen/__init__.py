"""Low-level expressions into kernel IR."""
