"""Complex numbers as their real and imaginary parts."""
