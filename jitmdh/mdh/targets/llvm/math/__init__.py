"""Elementary functions on vectors."""
