"""What is measured: computations, their sizes, data and checks."""
