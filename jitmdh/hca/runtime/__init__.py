"""The native runtime in C, and the LLVM IR made from it; see `build`."""
