"""Operations, conversions and shuffles as instructions of LLVM IR."""
