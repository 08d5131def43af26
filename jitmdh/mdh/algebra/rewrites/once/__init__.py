"""What a program would compute again and again, computed once."""
