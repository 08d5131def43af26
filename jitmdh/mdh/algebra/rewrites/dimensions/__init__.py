"""Rewrites of the dimensions of one expression."""
