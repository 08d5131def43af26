"""Generation (thesis chapter 4): from Python to program text. Pure: no file, no thread, no driver."""
