"""Tuning while the program runs: candidates in a process of their own, what is remembered of them, trials in calls."""
