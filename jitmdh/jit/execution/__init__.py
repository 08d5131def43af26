"""Compiled code, run."""
