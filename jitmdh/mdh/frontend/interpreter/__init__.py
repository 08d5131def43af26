"""Statements, expressions and calls, executed symbolically."""
