"""einsum's notation, the order of contractions, and the programs that come of it."""

from __future__ import annotations

import pytest

from jitmdh.base.dtype import bool_, float16, float32, float64, int8
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.combine import PointWise, cc
from jitmdh.mdh.algebra.expr import Expression, expressions
from jitmdh.mdh.frontend.einsum.notation import from_sublists, parse
from jitmdh.mdh.frontend.einsum.programs import Contraction, contraction, semiring

OTHERS = " where the others are"
Shapes = list[tuple[int, ...]]


@pytest.mark.parametrize(
    ("text", "ranks", "inputs", "output"),
    [
        ("ij,jk", (2, 2), ("ij", "jk"), "ik"),
        ("ba", (2,), ("ba",), "ab"),
        ("aB", (2,), ("aB",), "Ba"),
        ("ii", (2,), ("ii",), ""),
        ("ii->i", (2,), ("ii",), "i"),
        (" i , i -> ", (1, 1), ("i", "i"), ""),
        ("", (0,), ("",), ""),
        ("i,i,i", (1, 1, 1), ("i", "i", "i"), ""),
    ],
)
def test_labels(text: str, ranks: tuple[int, ...], inputs: tuple[str, ...], output: str) -> None:
    found = parse(text, ranks)
    assert found.inputs == tuple(map(tuple, inputs)) and found.output == tuple(output)


def test_ellipses_match_from_the_right() -> None:
    found = parse("...i,i...", (3, 2))
    assert found.inputs == (("e0", "e1", "i"), ("i", "e1"))
    assert found.output == ("e0", "e1")
    assert parse("i...->...", (1,)).output == ()


@pytest.mark.parametrize(
    ("text", "ranks", "message"),
    [
        ("i", (1, 1), "einsum: subscripts `i` are for 1 operands, got 2"),
        ("i,j", (1,), "einsum: subscripts `i,j` are for 2 operands, got 1"),
        ("ij", (1,), "einsum: operand 0 has 1 dimensions, its subscripts name 2"),
        (
            "i",
            (2,),
            "einsum: operand 0 has 2 dimensions, its subscripts name 1\n  hint: put `...` where the others are",
        ),
        ("i5", (2,), "einsum: in the subscripts of operand 0, `i5`, `5` is no letter"),
        ("i.j", (2,), "einsum: in the subscripts of operand 0, `i.j`, `.` is not part of an ellipsis"),
        ("i-j", (2,), "einsum: in the subscripts of operand 0, `i-j`, `-` is no letter"),
        ("...i...", (2,), "einsum: the subscripts of operand 0, `...i...`, have more than one ellipsis"),
        ("i->ii", (1,), "einsum: the result has subscript `i` more than once"),
        ("i->j", (1,), "einsum: the result has subscript `j`, which no operand has"),
        ("...i->i", (2,), "einsum: operands have an ellipsis, the result has none"),
        ("i->i->i", (1,), "einsum: in the subscripts of the result, `i->i`, `-` is no letter"),
    ],
)
def test_wrong_subscripts(text: str, ranks: tuple[int, ...], message: str) -> None:
    with pytest.raises(ArgumentValueError) as error:
        parse(text, ranks)
    assert str(error.value).replace(" [MDH202]", "", 1) == message


def test_sublists() -> None:
    assert from_sublists(["a", [0, 27], "b", [27, ...]]) == ("Ab,b...", ["a", "b"])
    for wrong, kind in [([0, 52], ArgumentValueError), ([0, "a"], ArgumentTypeError), ([True], ArgumentTypeError)]:
        with pytest.raises(kind, match="einsum: "):
            from_sublists(["a", wrong])
    with pytest.raises(ArgumentTypeError, match="expected a list of subscripts, got int"):
        from_sublists(["a", 3])


@pytest.mark.parametrize(
    ("text", "shapes", "message"),
    [
        ("ii", [(2, 3)], "einsum: operand 0: subscript i stands for axes of extent 2 and 3"),
        ("i,i", [(2,), (3,)], "einsum: operands do not fit: subscript i has extent 3 in operand 1, 2 before"),
    ],
)
def test_extents_that_do_not_fit(text: str, shapes: Shapes, message: str) -> None:
    with pytest.raises(ArgumentValueError) as error:
        planned(text, shapes)
    assert str(error.value).replace(" [MDH202]", "", 1) == message


def planned(text: str, shapes: Shapes, **options: object) -> Contraction:
    return contraction(text, shapes, [float64] * len(shapes), **options)  # type: ignore[arg-type]


def steps(c: Contraction) -> tuple[Expression, ...]:
    program = c.program()
    check(program)
    return expressions(program.steps)


def test_a_product_is_one_expression() -> None:
    (step,) = steps(planned("ij,jk->ik", [(4, 5), (5, 6)]))
    assert [d.name for d in step.md_hom.dims] == ["i", "k", "j"]
    assert step.md_hom.combine[:2] == (cc, cc) and isinstance(step.md_hom.combine[2], PointWise)
    assert [str(a) for a in step.inp_view] == ["in0[i, j]", "in1[j, k]"]


def test_an_axis_of_one_element_is_read_at_0() -> None:
    (step,) = steps(planned("ij,ij->ij", [(4, 1), (4, 6)]))
    assert [str(a) for a in step.inp_view] == ["in0[i, 0]", "in1[i, j]"]


def test_a_chain_is_contracted_where_it_is_cheapest() -> None:
    first, second = steps(planned("ij,jk,k->i", [(9, 9), (9, 9), (9,)]))
    assert [str(a) for a in first.inp_view] == ["in1[j, k]", "in2[k]"]
    assert [str(a) for a in second.inp_view] == ["in0[i, j]", "t0[j]"]
    assert len(steps(planned("ij,jk,k->i", [(9, 9), (9, 9), (9,)], optimize=False))) == 1


def test_what_only_one_operand_has_is_summed_first() -> None:
    names = [[d.name for d in s.md_hom.dims] for s in steps(planned("ij,kl->jl", [(4, 5), (6, 7)]))]
    assert names == [["j", "i"], ["l", "k"], ["j", "l"]]
    assert len(steps(planned("ij,j->j", [(4, 5), (5,)]))) == 1  # nothing to save


def test_semirings_that_do_not_distribute_stay_whole() -> None:
    shapes: Shapes = [(4,), (5,), (6,)]
    assert len(steps(planned("i,j,k->", shapes, semiring=semiring("add", "maximum")))) == 1
    assert len(steps(planned("i,j,k->", shapes, semiring=semiring(min, "add")))) > 1


def test_types() -> None:
    (half,) = steps(contraction("i,i", [(3,), (3,)], [float16, int8]))
    assert half.md_hom.function.result_types == (float32,)
    assert half.finish is not None and half.finish.function.result_types == (float16,)
    (truth,) = steps(contraction("i,i", [(3,), (3,)], [bool_, bool_]))
    assert str(truth.md_hom.combine[0]) == "•(or)" and "x0 & x1" in str(truth.md_hom.function)
