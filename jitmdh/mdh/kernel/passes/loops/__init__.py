"""Passes on loops: what leaves them, what is added from round to round, how they end early or look for signals."""
