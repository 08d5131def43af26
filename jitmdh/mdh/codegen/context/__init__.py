"""What code generation knows on its way: names, buffers, layouts."""
