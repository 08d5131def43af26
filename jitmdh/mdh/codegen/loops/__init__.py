"""The loops of an expression: nests, prefix sums, privatised scatters."""
