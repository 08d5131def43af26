"""Expressions of tuning parameters: their nodes, the operators that build them, callables read as such."""
