"""Elastic waves by ADER-DG, in index notation: a plane wave through a periodic cube of tetrahedra, of order four.

python examples/41_elastic_waves.py [PICTURE.svg]

The nine quantities are six stresses and three velocities, q_t + A_x q_x + A_y q_y + A_z q_z = 0. Of each element 20
coefficients of polynomials of degree three are known for each quantity, an array Q[k, p]. One step

    D_j+1 = Σ_d KT_d · D_j · S_d                derivatives in time, from those in space
    I     = Σ_j (-1)^j Δt^(j+1)/(j+1)! D_j      the integral over the step
    Q    += Σ_d K_d · I · S_d + Σ_faces F · I · A⁺ + F' · I' · A⁻     with the neighbours' I'

is three kinds of kernels. All matrices over polynomials are constants, mostly zeros. Source: Dumbser and Käser, "An
arbitrary high-order discontinuous Galerkin method for elastic waves on unstructured meshes II" (2006).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import permutations
from math import factorial, log2, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from jitmdh import tensor as mt

Array = np.ndarray[Any, Any]

ORDER, MODES, QUANTITIES = 4, 20, 9
LAME, SHEAR, DENSITY = 2.0, 1.0, 1.0
SPEED = sqrt((LAME + 2 * SHEAR) / DENSITY)
SHAPES = list(
    permutations(range(3))
)  # a cube is cut along its diagonal into six tetrahedra: 0, e_i, e_i + e_j, (1,1,1)
OPPOSITE = (3, 1, 2, 0)  # a neighbour's face, by the number of the corner that is not in it; corners are in one order

# ------------------------------------------------------------------------------------------------- polynomials


def points(corners: int) -> tuple[Array, Array]:
    """Gauss's points in a simplex, in barycentric coordinates, and weights that add up to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(ORDER + 1)
    left, found, weight = np.ones(1), np.zeros((1, 0)), np.ones(1)
    for n in range(corners - 1, 0, -1):
        part, of_part = (nodes + 1) / 2, weights * (1 - (nodes + 1) / 2) ** (n - 1) * n / 2
        found = np.concatenate([np.repeat(found, len(part), 0), np.kron(left, part)[:, None]], axis=1)
        left, weight = np.kron(left, 1 - part), np.kron(weight, of_part)
    return np.concatenate([found, left[:, None]], axis=1), weight


def monomials(barycentric: Array) -> Array:
    """Products of powers of the last three coordinates, of lower degrees first: [modes, points]."""
    x, y, z = barycentric.T[1:]
    every = [(d - j - k, j, k) for d in range(ORDER) for k in range(d + 1) for j in range(d - k + 1)]
    return np.array([x**i * y**j * z**k for i, j, k in every])


INSIDE, WEIGHT = points(4)
# The orthonormal basis as combinations of monomials: of lower degrees first, since the factor is triangular.
TO_BASIS = np.linalg.inv(np.linalg.cholesky((monomials(INSIDE) * WEIGHT) @ monomials(INSIDE).T))


def basis(barycentric: Array) -> Array:
    """Orthonormal polynomials on a tetrahedron at points: [modes, points]."""
    return TO_BASIS @ monomials(barycentric)


def slopes(barycentric: Array, d: int) -> Array:
    """Their derivatives along an edge; exact but for rounding, by a complex step."""
    moved = barycentric.astype(complex)
    moved[:, d + 1] += 1e-30j
    return (TO_BASIS @ monomials(moved)).imag / 1e-30


def clean(matrix: Array) -> Array:
    """With exact zeros for what is zero but for rounding."""
    return np.where(np.abs(matrix) < 1e-11 * np.abs(matrix).max(), 0.0, matrix)


STIFFNESS = [clean((slopes(INSIDE, d) * WEIGHT) @ basis(INSIDE).T) for d in range(3)]


def face_matrices() -> Iterator[tuple[Array, Array]]:
    """For each face means of products over it: of an element's polynomials, and of those with the neighbour's."""
    on_triangle, weight = points(3)
    for face in range(4):
        own, other = (np.insert(on_triangle, f, 0.0, axis=1) for f in (face, OPPOSITE[face]))
        mine = basis(own)
        yield clean((mine * weight) @ mine.T), clean((mine * weight) @ basis(other).T)


# ------------------------------------------------------------------------------------------------- the material


def along(n: Array) -> Array:
    """A of elastic waves along a direction: stresses xx, yy, zz, xy, yz, xz, then velocities."""
    found = np.zeros((9, 9))
    stresses = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
    for s, (i, j) in enumerate(stresses):
        for v in range(3):
            normal = LAME * n[v] if i == j else 0.0
            found[s, 6 + v] -= normal + SHEAR * (n[j] * (v == i) + n[i] * (v == j))
        found[6 + i, s] -= n[j] / DENSITY
        if i != j:
            found[6 + j, s] -= n[i] / DENSITY
    return found


def upwind(n: Array) -> tuple[Array, Array]:
    """A along `n` as a sum of a part for waves that leave and one for waves that come: Godunov's flux."""
    stiffness = np.zeros((6, 6))
    stiffness[:3, :3] = LAME
    stiffness += SHEAR * np.diag([2, 2, 2, 1, 1, 1])
    energy = np.zeros((9, 9))
    energy[:6, :6], energy[6:, 6:] = np.linalg.inv(stiffness), DENSITY * np.eye(3)
    root = np.linalg.cholesky(energy).T  # in these variables A is symmetric
    values, vectors = np.linalg.eigh(root @ along(n) @ np.linalg.inv(root))
    absolute = np.linalg.inv(root) @ (vectors * np.abs(values)) @ vectors.T @ root
    return (along(n) + absolute) / 2, (along(n) - absolute) / 2


def corners(shape: tuple[int, ...]) -> Array:
    """Of a tetrahedron in the unit cube."""
    return np.cumsum([np.zeros(3), *(np.eye(3)[axis] for axis in shape)], axis=0)


def neighbour(shape: tuple[int, ...], face: int) -> tuple[int, Array]:
    """The tetrahedron behind a face: which of the six, and how many cubes away."""
    i, j, k = shape
    if face in (1, 2):
        return SHAPES.index((j, i, k) if face == 1 else (i, k, j)), np.zeros(3, int)
    behind = (j, k, i) if face == 0 else (k, i, j)
    return SHAPES.index(behind), np.eye(3, dtype=int)[i] if face == 0 else -np.eye(3, dtype=int)[k]


# ------------------------------------------------------------------------------------------------- the kernels

SHAPE = (MODES, QUANTITIES)
STAR = sum(np.abs(along(axis)) for axis in np.eye(3)).T != 0  # 24 of 81
Q, I = mt.Tensor("Q", SHAPE), mt.Tensor("I", SHAPE)
S = [mt.Tensor(f"S{d}", (9, 9), pattern=STAR) for d in range(3)]
A = [mt.Tensor(f"A{face}", (9, 9)) for face in range(4)]
FACES = list(face_matrices())


def time_integral() -> mt.Kernel:
    """I from Q: all derivatives in time and the Taylor series, whose coefficients c0 … c3 come with the call."""
    T = [mt.Tensor(f"T{d}", values=STIFFNESS[d].T) for d in range(3)]
    degrees = np.concatenate([np.full((d + 1) * (d + 2) // 2, d) for d in range(ORDER)])
    D, c = [Q], [mt.Scalar(f"c{j}") for j in range(ORDER)]
    steps = []
    for j in range(1, ORDER):  # a derivative has one degree less
        known = np.broadcast_to(degrees[:, None] < ORDER - j, SHAPE)
        D.append(mt.Tensor(f"D{j}", SHAPE, pattern=known, temporary=True))
        steps.append(D[j]["kp"] <= sum(T[d]["kl"] * D[j - 1]["lq"] * S[d]["qp"] for d in range(3)))
    return mt.kernel("time_integral", [*steps, I["kp"] <= sum(c[j] * D[j]["kp"] for j in range(ORDER))])


def volume_and_faces() -> mt.Kernel:
    """What an element does to itself."""
    K = [mt.Tensor(f"K{d}", values=STIFFNESS[d]) for d in range(3)]
    F = [mt.Tensor(f"F{face}", values=FACES[face][0]) for face in range(4)]
    inside = sum(K[d]["kl"] * I["lq"] * S[d]["qp"] for d in range(3))
    return mt.kernel("update", Q["kp"] <= Q["kp"] + inside + sum(F[f]["kl"] * I["lq"] * A[f]["qp"] for f in range(4)))


def flux(face: int) -> mt.Assignment:
    """What comes through a face."""
    return Q["kp"] <= Q["kp"] + mt.Tensor(f"G{face}", values=FACES[face][1])["kl"] * I["lq"] * A[face]["qp"]


INTEGRAL = time_integral().batched(shared=[s.name for s in S])
UPDATE = volume_and_faces().batched(shared=[t.name for t in (*S, *A)])
FLUX = mt.family("flux", (4,), flux)
FLUXES = [FLUX[face].batched(shared=(f"A{face}",)) for face in range(4)]

# ------------------------------------------------------------------------------------------------- the simulation


class Simulation:
    """A periodic unit cube of `cells`³ cubes, six tetrahedra each, in which a plane wave runs."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        jacobian = [(corners(s)[1:] - corners(s)[0]).T / cells for s in SHAPES]  # from reference coordinates
        self.star = [self._star(np.linalg.inv(j)) for j in jacobian]
        self.flux = [[self._fluxes(corners(s) / cells, face) for face in range(4)] for s in SHAPES]
        self.states = [self.project(n, 0.0) for n in range(6)]

    def _star(self, inverse: Array) -> dict[str, Array]:
        return {f"S{d}": np.where(STAR, along(inverse[d]).T, 0.0) for d in range(3)}

    def _fluxes(self, at: Array, face: int) -> tuple[Array, Array]:
        """For what leaves and what comes, with the face's area by the element's volume."""
        a, b, c = np.delete(at, face, axis=0)
        normal = np.cross(b - a, c - a)
        normal *= -np.sign(normal @ (at[face] - a))
        area, volume = np.linalg.norm(normal) / 2, abs(np.linalg.det(at[1:] - at[0])) / 6
        leaving, coming = upwind(normal / np.linalg.norm(normal))
        return -area / volume * leaving.T, -area / volume * coming.T

    def positions(self, shape: int, barycentric: Array) -> Array:
        """Points of all tetrahedra of a shape, in space: [cubes, points, 3]."""
        cubes = np.stack(np.meshgrid(*[np.arange(self.cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
        return (cubes + barycentric @ corners(SHAPES[shape])) / self.cells

    def project(self, shape: int, time: float) -> Array:
        """The plane wave at a time, in the elements' polynomials: [cubes, modes, quantities]."""
        return np.einsum("kx,x,exp->ekp", basis(INSIDE), WEIGHT, plane_wave(self.positions(shape, INSIDE), time))

    def run(self, end: float) -> None:
        """To a time; with the largest steps that are stable."""
        least = 1 / self.cells * 0.4  # the diameter of a ball in a tetrahedron, about
        steps = int(np.ceil(end / (0.5 * least / (SPEED * (2 * ORDER - 1)))))
        step = end / steps
        series = {f"c{j}": (-1) ** j * step ** (j + 1) / factorial(j + 1) for j in range(ORDER)}
        for _ in range(steps):
            integrals = [np.empty_like(q) for q in self.states]
            for q, i, star in zip(self.states, integrals, self.star):
                INTEGRAL(Q=q, I=i, **star, **series)
            for n, q in enumerate(self.states):
                own = {f"A{face}": self.flux[n][face][0] for face in range(4)}
                UPDATE(Q=q, I=integrals[n], **self.star[n], **own)
                for face in range(4):
                    FLUXES[face](Q=q, I=self._behind(integrals, n, face), **{f"A{face}": self.flux[n][face][1]})

    def _behind(self, integrals: list[Array], shape: int, face: int) -> Array:
        """What the neighbours of all tetrahedra of a shape have, in their order."""
        other, away = neighbour(SHAPES[shape], face)
        cubes = integrals[other].reshape(self.cells, self.cells, self.cells, *SHAPE)
        return np.roll(cubes, tuple(-away), (0, 1, 2)).reshape(-1, *SHAPE)

    def error(self, time: float) -> float:
        """The root of the mean square of the difference from the plane wave."""
        total = 0.0
        for n, q in enumerate(self.states):
            there = np.einsum("ekp,kx->exp", q, basis(INSIDE))
            total += float(np.mean(((there - plane_wave(self.positions(n, INSIDE), time)) ** 2).sum(-1) @ WEIGHT)) / 6
        return sqrt(total)


DIRECTION = np.array([1.0, 0.0, 0.0])
MODE = np.concatenate([[LAME + 2 * SHEAR, LAME, LAME, 0, 0, 0], -SPEED * DIRECTION])
assert np.allclose(along(DIRECTION) @ MODE, SPEED * MODE)  # a compression that runs along x


def plane_wave(at: Array, time: float) -> Array:
    """The solution: [..., quantities]."""
    return np.sin(2 * pi * (at @ DIRECTION - SPEED * time))[..., None] * MODE


def picture(simulation: Simulation, parts: int = 6) -> str:
    """Velocity along x in the plane z = 0, red to the right, blue to the left, as SVG; each face in `parts`² pieces."""
    corner = np.array([(i, j) for i in range(parts) for j in range(parts - i)])
    pieces = [corner[:, None] + np.array([[0, 0], [1, 0], [0, 1]])]
    pieces.append(corner[corner.sum(1) < parts - 1][:, None] + np.array([[1, 1], [1, 0], [0, 1]]))
    plane = np.concatenate(pieces).reshape(-1, 2) / parts
    barycentric = np.column_stack([1 - plane.sum(1), plane, np.zeros(len(plane))])
    middle = basis(barycentric.reshape(-1, 3, 4).mean(axis=1))
    found, size = [], 480
    for n, shape in enumerate(SHAPES):
        if shape[2] != 2:  # the face of its first three corners lies in a plane of that kind
            continue
        speed = np.einsum("ek,kx->ex", simulation.states[n][..., 6], middle) / SPEED
        at = simulation.positions(n, barycentric).reshape(*speed.shape, 3, 3)
        for value, triangle in zip(speed.ravel(), at.reshape(-1, 3, 3)):
            if np.abs(triangle[:, 2]).max() < 1e-12:
                red, blue = (round(255 * min(1.0, 1 + sign * value)) for sign in (1.0, -1.0))
                ends = " ".join(f"{size * x:.1f},{size * (1 - y):.1f}" for x, y, _ in triangle)
                found.append(f'<polygon points="{ends}" fill="rgb({red},{min(red, blue)},{blue})"/>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}">{"".join(found)}</svg>'


def main(file: Path | None = None, end: float = 0.05) -> float:
    errors = []
    for cells in (3, 6):
        simulation = Simulation(cells)
        simulation.run(end)
        errors.append(simulation.error(end))
        print(f"{6 * cells**3:5} elements: error {errors[-1]:.2e}")
    order = log2(errors[0] / errors[1])
    print(f"observed order {order:.2f}")
    if file is not None:
        file.write_text(picture(simulation), encoding="utf-8")
    return order


if __name__ == "__main__":
    assert main(Path(sys.argv[1]) if len(sys.argv) > 1 else None) >= 3.8
