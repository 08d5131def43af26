"""What a loop is: dependences, distribution, reductions."""
