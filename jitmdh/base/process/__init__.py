"""Forks, signals and stacks: what a process can do to code that runs in it."""
