"""Programs of the algebra into equal ones."""
