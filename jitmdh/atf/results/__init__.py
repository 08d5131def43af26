"""What was measured, and what is made of it."""
