"""Where the numbers of tensors are that are stored without their known zeros, and sums over what is left in rows."""
