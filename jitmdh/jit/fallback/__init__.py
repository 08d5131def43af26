"""What cannot be compiled: loops that can be are compiled in place, the rest runs as Python or by Numba."""
