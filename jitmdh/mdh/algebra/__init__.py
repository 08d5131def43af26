"""The high-level representation (4.2): expressions, views, combine operators, and when they are well-formed."""
