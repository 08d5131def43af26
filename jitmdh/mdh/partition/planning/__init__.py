"""From a program over arrays in blocks to a plan: expressions are cut into parts, one by one or several together."""
