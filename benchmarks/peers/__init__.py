"""The libraries beside which we measure, and each computation as their users write it."""
