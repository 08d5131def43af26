"""What new processes wait for."""
