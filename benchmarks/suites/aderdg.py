"""The matrices of ADER-DG schemes on tetrahedra, by quadrature: Dubiner's orthogonal polynomials on the reference
tetrahedron with the corners 0, e₁, e₂, e₃, of all degrees below the order.

    kDivM[d][k, l] = ∫ ∂ψₖ/∂ξ_d ψₗ / ∫ ψₖ²            stiffness
    kDivMT[d][l, k] = ∫ ∂ψₖ/∂ξ_d ψₗ / ∫ ψₗ²           its transpose, for derivatives in time
    rDivM[i][k, m] = ∫ over face i: ψₖ φₘ / ∫ ψₖ²      back from face i
    rT[j][m, l], fMrT[i][m, l] = ∫ φₘ ψₗ over a face, without and with the mass of φₘ divided out
    fP[h][m, n]    = ∫ φₘ φₙ(rotated by h) / ∫ φₘ²     a neighbour's corners, turned

Source: Dumbser and Käser, "An arbitrary high-order discontinuous Galerkin method for elastic waves on unstructured
meshes II" (2006), whose faces and rotations these are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_FACES = (  # where a point (χ, τ) of the reference triangle is on each face
    lambda x, t: (t, x, 0 * x),
    lambda x, t: (x, 0 * x, t),
    lambda x, t: (0 * x, t, x),
    lambda x, t: (1 - x - t, x, t),
)
_TURNS = (lambda x, t: (t, x), lambda x, t: (1 - x - t, t), lambda x, t: (x, 1 - x - t))
_ROUNDED = 1e-11  # exact zeros come out as numbers of some 1e-16

STAR = np.zeros((9, 9), bool)
"""Which of 9 quantities (six stresses, three velocities) of elastic waves act on which: 24 of 81."""
for _stress, _velocities in enumerate(((0, 1, 2), (0, 1, 2), (0, 1, 2), (0, 1), (1, 2), (0, 2))):
    STAR[_stress, [6 + v for v in _velocities]] = True
for _velocity, _stresses in enumerate(((0, 3, 5), (3, 1, 4), (5, 4, 2))):
    STAR[6 + _velocity, list(_stresses)] = True


@dataclass(frozen=True)
class Matrices:
    """Of one order. modes: polynomials on the tetrahedron; face_modes: on a face."""

    order: int
    kDivM: tuple[Array, ...]
    kDivMT: tuple[Array, ...]
    rDivM: tuple[Array, ...]
    fMrT: tuple[Array, ...]
    rT: tuple[Array, ...]
    fP: tuple[Array, ...]

    @property
    def modes(self) -> int:
        return comb(self.order + 2, 3)


def jacobi(n: int, alpha: float, x: Array) -> Array:
    """Jacobi's polynomial of degree n with parameters (alpha, 0), also at complex numbers."""
    before, value = np.zeros_like(x), np.ones_like(x)
    for k in range(1, n + 1):
        s = 2 * k + alpha
        a = 2 * k * (k + alpha) * (s - 2)
        b = (s - 1) * (s * (s - 2) * x + alpha**2)
        c = 2 * (k + alpha - 1) * (k - 1) * s
        new = (alpha + (alpha + 2) * x) / 2 if k == 1 else (b * value - c * before) / a
        before, value = value, new
    return value


def tetrahedron(order: int, x: Array, y: Array, z: Array) -> Array:
    """All basis functions at points inside, lower degrees first: [modes, points]."""
    # Homogeneous forms, without divisions by 1 - z: a polynomial of degree i in x/(1-y-z) times (1-y-z)^i.
    u, v = 1 - y - z, 1 - z
    found = []
    for degree in range(order):
        for k in range(degree + 1):
            for j in range(degree - k + 1):
                i = degree - k - j
                p = _scaled(i, 0, 2 * x - u, u)
                q = _scaled(j, 2 * i + 1, 2 * y - v, v)
                found.append(p * q * jacobi(k, 2 * i + 2 * j + 2, 2 * z - 1))
    return np.array(found)


def triangle(order: int, x: Array, t: Array) -> Array:
    """All basis functions of the triangle: [face modes, points]."""
    found = []
    for degree in range(order):
        for j in range(degree + 1):
            i = degree - j
            found.append(_scaled(i, 0, 2 * x - (1 - t), 1 - t) * jacobi(j, 2 * i + 1, 2 * t - 1))
    return np.array(found)


def _scaled(n: int, alpha: float, x: Array, s: Array) -> Array:
    """sⁿ times Jacobi's polynomial at x / s, which is a polynomial of both."""
    before, value = np.zeros_like(x), np.ones_like(x)
    for k in range(1, n + 1):
        w = 2 * k + alpha
        a = 2 * k * (k + alpha) * (w - 2)
        b = (w - 1) * (w * (w - 2) * x + alpha**2 * s)
        c = 2 * (k + alpha - 1) * (k - 1) * w * s * s
        new = (alpha * s + (alpha + 2) * x) / 2 if k == 1 else (b * value - c * before) / a
        before, value = value, new
    return value


def _points_of_tetrahedron(order: int) -> tuple[Array, Array, Array, Array]:
    """Gauss's points in the collapsed cube, and weights that are exact for products of two basis functions."""
    nodes, weights = np.polynomial.legendre.leggauss(order + 2)
    a, b, c = (g.reshape(-1) for g in np.meshgrid(nodes, nodes, nodes, indexing="ij"))
    w = np.einsum("i,j,k->ijk", weights, weights, weights).reshape(-1)
    z, y = (1 + c) / 2, (1 + b) / 2 * (1 - c) / 2
    return (1 + a) / 2 * (1 - y - z), y, z, w * (1 - b) / 2 * ((1 - c) / 2) ** 2 / 8


def _points_of_triangle(order: int) -> tuple[Array, Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(order + 2)
    a, b = (g.reshape(-1) for g in np.meshgrid(nodes, nodes, indexing="ij"))
    t = (1 + b) / 2
    return (1 + a) / 2 * (1 - t), t, np.einsum("i,j->ij", weights, weights).reshape(-1) * (1 - b) / 8


@cache
def matrices(order: int) -> Matrices:
    """All matrices of an order, float64. Exact zeros are zeros."""
    x, y, z, w = _points_of_tetrahedron(order)
    values = tetrahedron(order, x, y, z)
    step = 1e-30  # of the complex-step derivative, which is exact but for rounding
    moved = ((x + 1j * step, y, z), (x, y + 1j * step, z), (x, y, z + 1j * step))
    slopes = [tetrahedron(order, *(np.asarray(m, complex) for m in at)).imag / step for at in moved]
    mass = (values**2 * w).sum(axis=1)
    chi, tau, v = _points_of_triangle(order)
    face = triangle(order, chi, tau)
    face_mass = (face**2 * v).sum(axis=1)
    traces = [(face * v) @ tetrahedron(order, *f(chi, tau)).T for f in _FACES]
    turned = [(face * v) @ triangle(order, *turn(chi, tau)).T / face_mass[:, None] for turn in _TURNS]
    stiffness = [(slope * w) @ values.T for slope in slopes]
    return Matrices(
        order,
        _clean([k / mass[:, None] for k in stiffness]),
        _clean([k.T / mass[:, None] for k in stiffness]),
        _clean([t.T / mass[:, None] for t in traces]),
        _clean(traces),
        _clean([t / face_mass[:, None] for t in traces]),
        _clean(turned),
    )


def _clean(found: list[Array]) -> tuple[Array, ...]:
    return tuple(np.where(np.abs(m) < _ROUNDED * np.abs(m).max(), 0.0, m) for m in found)
