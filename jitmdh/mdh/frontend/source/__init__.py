"""A function as text, and what it reads from around it."""
