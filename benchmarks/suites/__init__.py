"""Suites with rows of their own: small tensors, and schedules."""
