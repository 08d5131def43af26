"""What decisions rest on: memory traffic, operation costs, which stores may be non-temporal."""
