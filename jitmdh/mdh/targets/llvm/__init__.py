"""Kernel IR as LLVM IR."""
