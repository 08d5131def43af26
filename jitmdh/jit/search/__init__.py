"""What is searched for a program: its space of configurations, and in which order they are tried."""
