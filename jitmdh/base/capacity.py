"""The largest sizes that compiled code is made for."""

from __future__ import annotations

LARGEST = 2**56
"""Compiled code takes arrays and loops of at most so many elements and points, which is more than any memory holds and
any processor goes through in a year: what it computes from them (sums with tiles, products with bytes) stays far from
the limits of 64 bits. Calls beyond, such as on a number that was broadcast to 2⁶⁰ elements, are plain Python's."""
