"""Functions and operators that users write, as values that record what is done to them."""
