"""Search spaces with constraints (5.3)."""
