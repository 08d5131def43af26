"""Functions of NumPy in terms of others: plain Python, which is inlined where a program calls them (`compositions`)."""
