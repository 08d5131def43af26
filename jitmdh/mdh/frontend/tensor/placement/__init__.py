"""Where the numbers of tensors are: for many elements, in rows that lists name, in storage without known zeros."""
