"""Where the numbers of tensors are: for many elements, and in rows that lists name."""
