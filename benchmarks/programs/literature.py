"""Contractions of two tensors that the literature on tensor contractions measures itself on: the index strings of TCCG.

Products with matrices, integral transformations and terms of coupled cluster. The strings are those of the benchmark of
P. Springer and P. Bientinesi (ACM TOMS 44(3), 2018); extents are our own, drawn once for each string.
"""

from __future__ import annotations

import numpy as np

STRINGS = """
abc-bda-dc abc-dca-bd abcd-dbea-ec abcd-deca-be abcd-ebad-ce abcde-efbad-cf abcde-ecbfa-fd abcde-efcad-bf abcd-ea-ebcd
abcd-eb-aecd abcd-ec-abed ab-ac-cb ab-acd-dbc ab-cad-dcb abc-acd-db abc-ad-bdc abc-adc-bd abc-adc-db abc-adec-ebd
abcd-aebf-dfce abcd-aebf-fdec abcd-aecf-bfde abcd-aecf-fbed abcd-aedf-bfce abcd-aedf-fbec abcd-aefb-fdce abcd-aefc-fbed
abcd-eafb-fdec abcd-eafc-bfde abcd-eafd-fbec abcdef-dega-gfbc abcdef-degb-gfac abcdef-degc-gfab abcdef-dfga-gebc
abcdef-dfgb-geac abcdef-dfgc-geab abcdef-efga-gdbc abcdef-efgb-gdac abcdef-efgc-gdab abcdef-gdab-efgc abcdef-gdac-efgb
abcdef-gdbc-efga abcdef-geab-dfgc abcdef-geac-dfgb abcdef-gebc-dfga abcdef-gfab-degc abcdef-gfac-degb abcdef-gfbc-dega
""".split()
"""Result, left, right: `abc-bda-dc` is the einsum `bda,dc->abc`."""

_SPREAD, _MULTIPLE = 0.3, 4


def subscripts(number: int) -> str:
    """As einsum writes it.

    >>> subscripts(0), len(STRINGS)
    ('bda,dc->abc', 48)
    """
    result, left, right = STRINGS[number].split("-")
    return f"{left},{right}->{result}"


def extents(number: int, operations: float) -> dict[str, int]:
    """Of each index, multiples of four, so that there are about so many products and sums.

    >>> extents(0, 2e8)
    {'a': 88, 'b': 116, 'c': 92, 'd': 104}
    """
    names = sorted(set(STRINGS[number]) - {"-"})
    spread = np.random.default_rng([number, 48]).normal(0.0, _SPREAD, len(names))
    mean = np.log(operations / 2) / len(names)
    each = np.exp(mean + spread - spread.mean())
    return {name: max(_MULTIPLE, _MULTIPLE * round(n / _MULTIPLE)) for name, n in zip(names, each)}
