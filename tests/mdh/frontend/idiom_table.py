"""The idioms with arguments to call them with, and the combine operators expected of them."""

from __future__ import annotations

import numpy as np

from tests.mdh.frontend.idioms import *  # noqa: F403
from tests.mdh.frontend.kernels import _k


def choice_of_integers(x):
    best = -100
    for i in range(x.shape[0]):
        best = best if best > x[i] else x[i]
    return best


def number_maximum(x):
    best = -1.0
    for i in range(x.shape[0]):
        best = np.fmax(best, x[i])
    return best


# ruff: noqa: F405
IDIOMS = [
    _k(scan_written_under_condition, lambda a, b, c, r: (r(a), r(a)), "ps(add)"),
    _k(temporary_under_conditions, lambda a, b, c, r: (r(a), r(b))),
    _k(tiled_by_min, lambda a, b, c, r: (r(a), r(a)), "", "fi"),
    _k(windowed, lambda a, b, c, r: (r(a), r(a)), "++ •(add)"),
    _k(inner_empty_at_first, lambda a, b, c, r: (r(a), r(a)), "++ •(add)"),
    _k(own_element_twice, lambda a, b, c, r: (r(a), r(b)), ordered="j"),
    _k(not_injective, lambda a, b, c, r: (r(a), r(b)), "", "fi"),
    _k(scan_under_condition, lambda a, b, c, r: (r(a), r(a)), "ps(fmax)"),
    _k(operator_tuple, lambda a, b, c, r: (r(a),), "•(better)"),
    _k(operator_unpacked, lambda a, b, c, r: (r(a),), "•(better)"),
    _k(operator_nested, lambda a, b, c, r: (r(a, b),), "•(argmax) •(argmax)"),
    _k(operator_array, lambda a, b, c, r: (r(a), r(a, b)), "++ •(add_up)"),
    _k(operator_without_identity, lambda a, b, c, r: (r(a),), "•(matrix_product)"),
    _k(calls_helper, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(calls_loop, lambda a, b, c, r: (r(a), r(a, b)), "++ •(add)"),
    _k(globals_and_tables, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(math_functions, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(casts, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(product_and_minimum, lambda a, b, c, r: (r(a),), "•(mul, min)"),
    _k(difference, lambda a, b, c, r: (r(a),), "•(add)", "fdi"),
    _k(choice_of_integers, lambda a, b, c, r: (r(a),), "•(last_max)", "il"),
    _k(number_maximum, lambda a, b, c, r: (r(a),), "•(number_max)"),
    _k(quotient, lambda a, b, c, r: (r(a),), ordered="i"),
    _k(two_updates, lambda a, b, c, r: (r(a), r(a, b)), "++ •(add)", "fdi"),
    _k(two_outputs, lambda a, b, c, r: (r(a), r(a), r(a, b)), "++ •(add, mul)", "fdi"),
    _k(mixed_reductions, lambda a, b, c, r: (r(a, b + 1),)),
    _k(reduction_then_scaled, lambda a, b, c, r: (r(a), r(a, b)), "++ •(add)"),
    _k(used_in_two_places, lambda a, b, c, r: (r(a), r(a, b), r(a, b))),
    _k(guarded_sum, lambda a, b, c, r: (r(a), r(a, b)), "++ •(add)"),
    _k(guarded_update, lambda a, b, c, r: (r(a), r(a, b)), "", "fdi"),
    _k(guarded_write, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(equal_index, lambda a, b, c, r: (r(a, b),), "", "fi"),
    _k(diagonal, lambda a, b, c, r: (r(a, a), r(a)), "++"),
    _k(anti_diagonal, lambda a, b, c, r: (r(a, a), a), "++"),
    _k(lower_triangle_copy, lambda a, b, c, r: (r(a, a),)),
    _k(upper_scatter, lambda a, b, c, r: (r(a), r(a)), "•(add) ++"),
    _k(in_place_map, lambda a, b, c, r: (r(a),), "++", "fdi"),
    _k(temporary_chain, lambda a, b, c, r: (r(a), r(a)), "++", "fdi"),
    _k(rotate, lambda a, b, c, r: (r(a), r(a), r(a)), "++"),
    _k(reverse_in_place, lambda a, b, c, r: (r(a),)),
    _k(last_element, lambda a, b, c, r: (r(a), r(b + 2)), "++"),
    _k(wrapped_store, lambda a, b, c, r: (r(a), r(a))),
    _k(offset, lambda a, b, c, r: (r(a), r(a + 2), 2), "++"),
    _k(chained_subscripts, lambda a, b, c, r: (r(a, b), r(a, b)), "++ ++"),
    _k(descending, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(descending_recurrence, lambda a, b, c, r: (r(a),), "", "fdi"),
    _k(strided_triangle, lambda a, b, c, r: (r(a), r(a)), "++ •(add)"),
    _k(band, lambda a, b, c, r: (r(a), r(a)), "++ •(add)"),
    _k(continue_twice, lambda a, b, c, r: (r(a), r(a))),
    _k(chained_comparison, lambda a, b, c, r: (r(a),), "•(add)"),
    _k(and_or_values, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(allocated_like, lambda a, b, c, r: (r(a),)),
    _k(allocated_partly, lambda a, b, c, r: (r(a),), "++", "d"),
    _k(scalar_reduction_of_products, lambda a, b, c, r: (r(a, b),)),
    _k(accumulates_across, lambda a, b, c, r: (r(a, b),)),
    _k(carried_flag, lambda a, b, c, r: (r(a), r(a))),
    _k(running_maximum, lambda a, b, c, r: (r(a), r(a)), "ps(max)"),
    _k(time_loop_scalars, lambda a, b, c, r: (r(a), 3)),
    _k(power, lambda a, b, c, r: (r(a), 3), "•(add)"),
    _k(histogram_like, lambda a, b, c, r: (r(b), r(a)), "•(add) ++"),
    _k(floor_division, lambda a, b, c, r: (r(a), r(a), -3), "++", "il"),
    _k(wide, lambda a, b, c, r: (r(a), r(a).astype("f8")), "++", "fi"),
    _k(narrow_sum, lambda a, b, c, r: (r(a), r(a, b).astype("i8")), "++ •(add)", "i"),
    _k(operator_module, lambda a, b, c, r: (r(a), r(a)), "++", "fi"),
    _k(selects, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(same_loop_twice, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(product_bound, lambda a, b, c, r: (r(a * b), r(a, b)), "++"),
    _k(size_bound, lambda a, b, c, r: (r(a * b), r(a, b)), "++"),
    _k(read_before_write, lambda a, b, c, r: (r(a), r(a))),
    _k(swapped_rows, lambda a, b, c, r: (r(a + 2, b),)),
    _k(matmul_in_place, lambda a, b, c, r: (r(a, a), r(a, a))),
    _k(zero_trip_value, lambda a, b, c, r: (r(a), b)),
    _k(default_of_none, lambda a, b, c, r: (r(a), r(a), None), "++"),
    _k(rank_dependent, lambda a, b, c, r: (r(a), r(a, b)), "++"),
    _k(cholesky, lambda a, b, c, r: (r(a, a),)),
    _k(lcs, lambda a, b, c, r: (np.zeros((a + 1, b + 1), int), r(a), r(b)), "", "i"),
    _k(floyd, lambda a, b, c, r: (r(a, a),), "", "fi"),
    _k(max_pool, lambda a, b, c, r: (r(a, b), r(2 * a, 2 * b)), "++ ++ •(fmax) •(fmax)"),
    _k(upsample, lambda a, b, c, r: (r(2 * a), r(a)), "++ ++"),
]
