"""The tuning parameters of Table 1: what they are, which go together, what they make of an expression."""
