"""What symbolic execution leaves behind: values, statements, loops."""
