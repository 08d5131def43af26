"""How formulas are written: indices, tensors, operators; whole tensors without indices; the model language as text."""
