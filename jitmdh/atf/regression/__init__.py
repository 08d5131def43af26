"""The statistical model of costs that surrogate search uses."""
