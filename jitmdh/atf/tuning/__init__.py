"""The tuner: explores a space, by itself or step by step inside the user's program."""
