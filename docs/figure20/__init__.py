"""The thesis's Figure 20 as data: every computation as loop nest, on whole arrays, and as explicit representation.

Tests go through these rows (`tests/figure20`), and the catalogue page is made from them (`docs/generate_catalogue.py`).
"""

from __future__ import annotations

from docs.figure20 import (
    convolutions,
    histograms,
    linear_algebra,
    map_reduce,
    prefix_sums,
    quantum_chemistry,
    record_linkage,
    stencils,
)
from docs.figure20.row import Row

SUBFIGURES = (
    linear_algebra,
    convolutions,
    quantum_chemistry,
    stencils,
    record_linkage,
    histograms,
    map_reduce,
    prefix_sums,
)
ROWS: tuple[Row, ...] = tuple(row for subfigure in SUBFIGURES for row in subfigure.ROWS)
