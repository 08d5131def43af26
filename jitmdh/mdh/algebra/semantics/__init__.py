"""What a program means: naive NumPy, the oracle of everything below."""
