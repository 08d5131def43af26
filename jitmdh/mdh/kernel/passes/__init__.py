"""Optimisations: one file is one pass, kernel IR to kernel IR, and each has a golden test."""
