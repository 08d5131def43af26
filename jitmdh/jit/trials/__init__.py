"""Tuning inside the user's calls: which calls are timed, what that may cost, and when other code takes over."""
