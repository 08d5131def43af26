"""Names, subscripts, loops of Python, executed symbolically."""
