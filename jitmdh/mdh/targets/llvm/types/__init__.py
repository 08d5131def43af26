"""Types and values of LLVM IR as text."""
