"""What is kept on disk: compiled code and what tuning has found, one file each."""
