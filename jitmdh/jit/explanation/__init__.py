"""What `f.explain` reports."""
