"""Parts of a program: its iteration space in blocks, and which part of each array a block reads and writes."""
