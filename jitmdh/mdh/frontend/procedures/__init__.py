"""Data-dependent loops, and bodies that are executed one instruction after the other: procedures of the algebra."""
