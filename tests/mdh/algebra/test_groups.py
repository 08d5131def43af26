"""Which dimensions one operator combines, and whose conditions are whose."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.combine import PointWise, PrefixSum, cc, elementwise
from jitmdh.mdh.algebra.expr import Between, Dim, Expression, MdHom
from jitmdh.mdh.algebra.groups import groups, passing
from jitmdh.mdh.algebra.index import Affine
from tests.mdh.algebra import examples as ex

ADD, MAX = ex.add(float32), elementwise("maximum", float32, float("-inf"))


def over(*combine: object, guard: tuple[Affine, ...] = (), between: tuple[int, ...] = ()) -> Expression:
    matvec = ex.matvec()
    dims = tuple(Dim(f"d{n}", ex.size("M", 0)) for n in range(len(combine)))
    md_hom = MdHom(dims, matvec.md_hom.function, combine, guard)  # type: ignore[arg-type]
    return replace(matvec, md_hom=md_hom, between=tuple(Between(d, (), passing([float32])) for d in between))


def names(expression: Expression) -> list[tuple[str, ...]]:
    return [g.names for g in groups(expression)]


def test_neighbours_under_one_operator_are_one_group() -> None:
    assert names(over(cc, cc)) == []
    assert names(over(cc, PointWise(ADD), cc, PointWise(ADD))) == [("d1", "d3")]
    assert names(over(PointWise(MAX), PointWise(ADD), PointWise(ADD))) == [("d0",), ("d1", "d2")]
    assert names(over(PointWise(ADD), PointWise(MAX), PointWise(ADD))) == [("d0",), ("d1",), ("d2",)]


def test_what_stands_between_parts_even_the_same_operator() -> None:
    found = groups(over(PointWise(ADD), cc, PointWise(ADD), between=(1,)))
    assert [g.names for g in found] == [("d0",), ("d2",)]
    assert found[0].between is None and found[1].between is not None


def test_a_prefix_sum_is_a_group_alone() -> None:
    assert names(over(PrefixSum(ADD), PrefixSum(ADD), PointWise(ADD))) == [("d0",), ("d1",), ("d2",)]


def test_conditions_belong_to_the_first_operator_that_sees_them() -> None:
    i, j, k = (Affine.of(f"d{n}") for n in range(3))
    found = groups(over(PointWise(MAX), PointWise(ADD), cc, guard=(i - 1, i - j, j - k, k, k - i)))
    assert [g.guard for g in found] == [(i - 1,), (i - j, j - k, k - i)]
