"""jitmdh: plain Python loop nests and einsums at the speed of the machine."""
