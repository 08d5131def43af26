"""Schedules as functions: loop nests as values, transformations of them, and what they leave open."""
