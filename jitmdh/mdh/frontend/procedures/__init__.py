"""Loops that data end, and bodies that are executed one instruction after the other: procedures of the algebra."""
