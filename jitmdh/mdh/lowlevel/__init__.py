"""The low-level representation (4.3): an expression with every decision made."""
