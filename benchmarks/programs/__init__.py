"""Programs that others have published, or that are drawn at random."""
