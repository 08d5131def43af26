"""The parametrised step from high to low level (4.4), and who chooses its parameters."""
