"""Passes on functions that take long: exponentials, powers and the like."""
