"""`for` loops of Python: what is counted, what loops do to local variables, and what directives say of them."""
