"""Arrays as subscripts, as plain NumPy. All take (x, X, Z, h, b, w)."""

from __future__ import annotations

import numpy as np


def p0(x, X, Z, h, b, w):
    return x[b]


def p1(x, X, Z, h, b, w):
    return np.take(x, b) + 1


def p2(x, X, Z, h, b, w):
    return (x[b] * w).sum()


def p3(x, X, Z, h, b, w):
    return x[b.astype(np.int8)]


def p4(x, X, Z, h, b, w):
    return X[b]


def p5(x, X, Z, h, b, w):
    return X[b, 1:]


def p6(x, X, Z, h, b, w):
    return X[1:, b]


def p7(x, X, Z, h, b, w):
    return X[b, None]


def p8(x, X, Z, h, b, w):
    return X[b, b]


def p9(x, X, Z, h, b, w):
    return X[b[:, None], b[None, :]]


def p10(x, X, Z, h, b, w):
    return X.T[b]


def p11(x, X, Z, h, b, w):
    return Z[1, :, b]


def p12(x, X, Z, h, b, w):
    return Z[:, 2, b]


def p13(x, X, Z, h, b, w):
    return Z[b, ..., b]


def p14(x, X, Z, h, b, w):
    return Z[..., b].sum(axis=0)


def p15(x, X, Z, h, b, w):
    return np.take(X, b, axis=1).max(axis=1)


def p16(x, X, Z, h, b, w):
    return X.take(b[:, None], axis=-1)


def p17(x, X, Z, h, b, w):
    return x[b[b] % 4]


def p18(x, X, Z, h, b, w):
    return (x * 2 + 1)[b]


def p19(x, X, Z, h, b, w):
    return np.cumsum(x)[b]


def p20(x, X, Z, h, b, w):
    np.add.at(h, b, w)


def p21(x, X, Z, h, b, w):
    np.add.at(h, b, 1)


def p22(x, X, Z, h, b, w):
    np.add.at(h, b[:, None], w[:, None])


def p23(x, X, Z, h, b, w):
    np.subtract.at(h, b, w)


def p24(x, X, Z, h, b, w):
    np.multiply.at(h, b, w)


def p25(x, X, Z, h, b, w):
    np.maximum.at(h, b, 3 * w)


def p26(x, X, Z, h, b, w):
    np.minimum.at(h[1:], b % 4, w)


def p27(x, X, Z, h, b, w):
    np.add.at(h, b, h[b])


def p28(x, X, Z, h, b, w):
    np.add.at(X, b, x[:5])


def p29(x, X, Z, h, b, w):
    np.add.at(X, (b, 2), w)


def p30(x, X, Z, h, b, w):
    np.add.at(X[1], b, w)


PROGRAMS = tuple(f for name, f in list(globals().items()) if name.startswith("p") and name[1:].isdigit())
