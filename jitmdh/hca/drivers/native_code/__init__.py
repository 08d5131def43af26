"""LLVM IR to object code, and object code into memory."""
