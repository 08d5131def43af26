# ruff: noqa: E501
"""The fault catalogue: what goes wrong in practice, by number, and where it is tested.

A test is `file` or `file::name` of the folder `tests`; one that ends with `[case]` or lies in `errors` is a case.
"""

from __future__ import annotations

_FAULTS, _MEMORY, _STORE = "jit/test_faults.py", "jit/test_faults_memory.py", "base/storage/test_store_faults.py"
_CAPTURE, _ENVIRONMENT = "mdh/frontend/source/test_capture.py", "jit/compilation/test_environment.py"
_TUNE, _HELPER = "jit/tuning/test_tune.py", "jit/online/test_helper_process.py"

WHERE: dict[int, tuple[str, tuple[str, ...]]] = {
    # ------------------------------------------------------------------------------------------------ source
    1: ("no source", (f"{_CAPTURE}::test_no_source", f"{_CAPTURE}::test_the_text_of_a_program_is_not_the_source_of_what_it_executes")),
    2: ("two functions on one line", (f"{_CAPTURE}::test_the_right_one_of_several_lambdas",)),
    3: ("edited file, cell run again", ("faults/test_03_redefined.py", f"{_CAPTURE}::test_a_file_edited_before_the_source_is_read_is_refused")),
    4: ("changed callee, global, closure", (
        f"{_ENVIRONMENT}::test_a_changed_callee", f"{_ENVIRONMENT}::test_a_changed_global",
        f"{_ENVIRONMENT}::test_a_changed_closure", "laws/test_environment_changes.py",
    )),
    5: ("while, break, try, generators, recursion", (
        "errors/bad_break_over_several_indices.py", "errors/bad_try_block.py",
        "errors/bad_list_of_unknown_length.py", "errors/bad_recursion.py",
    )),
    6: ("subscripts from data, and that are not affine", ("laws/test_indirect.py", "errors/bad_subscript_from_float.py")),
    7: ("operators that are not associative", ("errors/bad_operator_not_associative.py",)),
    8: ("negative steps, empty ranges", ("laws/test_programs.py::test_programs_agree", "laws/test_extreme_numbers.py")),
    9: ("the loop variable after the loop", ("laws/test_everyday_constructs.py", "errors/bad_inner_loop_variable_after_loop.py")),
    10: ("a[-1] wraps", ("faults/test_10_to_19_everyday.py::test_10_negative_subscripts",)),
    11: ("// and % of signed numbers", ("laws/test_special_values.py::test_division_rounds_down",)),
    12: ("integer division by zero", ("faults/test_10_to_19_everyday.py::test_12_division_by_zero", "laws/test_python_scalars.py")),
    13: ("integers of more than 64 bits", ("errors/bad_integer_too_large.py", "faults/test_10_to_19_everyday.py::test_13_large_integers")),
    14: ("loop-carried dependence", ("faults/test_10_to_19_everyday.py::test_14_carried_dependences",)),
    15: ("accumulator uninitialised, or of a changing type", (
        "errors/bad_uninitialised_accumulator.py", "faults/test_10_to_19_everyday.py::test_15_types_of_accumulators",
    )),
    16: ("deep nests, large functions", ("faults/test_16_deep_and_large.py",)),
    # ------------------------------------------------------------------------------------------------ arrays
    17: ("out of bounds by one", ("faults/test_10_to_19_everyday.py::test_17_out_of_bounds_by_one", "jit/test_decorator.py::test_bounds_are_checked_before_anything_is_written")),
    18: ("arrays without elements", (f"{_FAULTS}::test_zero_size_arrays",)),
    19: ("rank 0", (f"{_FAULTS}::test_0d_output", "faults/test_10_to_19_everyday.py::test_19_inputs_of_rank_0")),
    20: ("negative strides", (f"{_FAULTS}::test_negative_strides",)),
    21: ("not contiguous", ("jit/test_decorator.py::test_layouts", f"{_FAULTS}::test_interleaved_arrays_share_nothing")),
    22: ("inputs of stride 0", (f"{_FAULTS}::test_zero_stride_inputs",)),
    23: ("outputs that overlap themselves", (f"{_FAULTS}::test_zero_stride_output", f"{_FAULTS}::test_self_overlapping_output")),
    24: ("outputs that overlap inputs", (f"{_FAULTS}::test_output_that_overlaps_an_input", "laws/test_shared_memory.py")),
    25: ("read-only outputs", (f"{_FAULTS}::test_read_only_output",)),
    26: ("misaligned", (f"{_FAULTS}::test_misaligned_arrays",)),
    27: ("byte-swapped", (f"{_FAULTS}::test_byte_swapped_arrays", f"{_FAULTS}::test_byte_swapped_arrays_warn")),
    28: ("objects, text, dates", (f"{_FAULTS}::test_no_numbers",)),
    29: ("masked arrays and subclasses", (f"{_FAULTS}::test_masks_are_never_dropped", f"{_FAULTS}::test_subclasses_keep_their_meaning")),
    30: ("lists, mixed types, wrong rank", (f"{_FAULTS}::test_what_is_no_array", f"{_FAULTS}::test_wrong_rank", f"{_FAULTS}::test_types_do_not_mix_up")),
    31: ("float16, bfloat16, complex, bool", ("laws/test_types.py",)),
    32: ("more than 2³¹ elements", ("faults/test_32_many_elements.py",)),
    33: ("arrays changed by another thread", ("faults/test_33_mutated_meanwhile.py",)),
    34: ("arrays of main memory on a device, and back", ("jit/execution/test_device_call.py", "laws/test_opencl.py")),
    35: ("special floats", (f"{_FAULTS}::test_special_values", "laws/test_programs.py::test_special_values_go_through")),
    36: ("integers wrap", (f"{_FAULTS}::test_integers_wrap", "laws/test_special_values.py::test_integers_wrap")),
    # ---------------------------------------------------------------------------------------- tuning, compiling
    37: ("a miscompiled candidate", (f"{_TUNE}::test_a_wrong_candidate_is_quarantined",)),
    38: ("a candidate that crashes", (f"{_HELPER}::test_a_candidate_that_ends_the_helper_is_the_only_one_lost",)),
    39: ("a candidate that hangs", (f"{_HELPER}::test_what_is_wrong_with_a_candidate_ends_there",)),
    40: ("updates in place happen once", (f"{_TUNE}::test_tuning_changes_neither_arguments_nor_results",)),
    41: ("an exception or a signal while tuning", (f"{_TUNE}::test_interruption_keeps_the_best_so_far", "faults/test_41_signals_while_tuning.py")),
    42: ("Ctrl-C", ("faults/test_42_ctrl_c.py",)),
    43: ("LLVM refuses the code", (f"{_FAULTS}::test_a_bug_of_ours_never_stops_the_user", "hca/test_cpu_compile.py::test_refused_code_is_our_bug")),
    44: ("no memory", (_MEMORY,)),
    45: ("no compiler, no device, no driver", ("faults/test_45_nothing_installed.py", "hca/test_opencl_trial.py::test_no_driver_and_no_device")),
    46: ("a device that is lost", ("faults/test_46_lost_device.py",)),
    47: ("a clock that jumps, noise", ("atf/tuning/test_tuner.py::test_racing_chooses_well_under_noise_and_saves_measurements", "faults/test_47_clock.py")),
    # ------------------------------------------------------------------------------------------------ the store
    48: ("truncated", (f"{_STORE}::test_48_truncated",)),
    49: ("a flipped bit", (f"{_STORE}::test_49_every_flipped_bit_is_a_miss",)),
    50: ("something else in its place", (f"{_STORE}::test_50_something_else_in_its_place",)),
    51: ("orphaned files", (f"{_STORE}::test_51_orphans_of_killed_processes_are_swept",)),
    52: ("a full disk", (f"{_STORE}::test_52_disk_full", "faults/test_52_full_disk.py")),
    53: ("read-only, no home, another owner", (f"{_STORE}::test_53_read_only_home", f"{_STORE}::test_53_foreign_owner")),
    54: ("locked for long", (f"{_STORE}::test_54_locked",)),
    55: ("killed at any write", (f"{_STORE}::test_55_killed_at_any_write",)),
    56: ("many processes on an empty cache", (f"{_STORE}::test_56_many_processes_on_an_empty_cache",)),
    57: ("evicted between two looks", (f"{_STORE}::test_57_removed_between_two_uses",)),
    58: ("another processor, driver, LLVM or Python", ("faults/test_58_another_machine.py", "test_hosts.py::test_in_six_days_a_file_is_run_as_on_each_machine")),
    59: ("planted entries", (f"{_STORE}::test_59_planted_pickles", f"{_STORE}::test_59_swapped_entries")),
    60: ("a directory others can write", (f"{_STORE}::test_60_a_directory_open_to_others_is_refused", f"{_STORE}::test_60_a_base_directory_of_another_user_is_refused")),
    61: ("a network's file system", ("base/storage/test_store.py::test_61_a_directory_per_host",)),
    # ---------------------------------------------------------------------------------------------- the process
    62: ("fork", (f"{_STORE}::test_62_fork", "laws/test_forks.py", "laws/test_many_calls.py::test_fork_after_a_parallel_call")),
    63: ("two threads, one key", ("jit/test_decorator.py::test_one_compilation_for_many_threads",)),
    64: ("inside of joblib, beside BLAS", ("faults/test_64_threads_and_cores.py",)),
    65: ("calls inside of calls", ("faults/test_65_reentrant.py",)),
    66: ("the interpreter ends meanwhile", ("faults/test_66_exit.py", f"{_HELPER}::test_no_helper_outlives_its_process")),
    67: ("Python without a GIL", ("faults/test_67_free_threaded.py",)),
    68: ("pickled functions", ("jit/test_decorator.py::test_pickling_gives_the_function_never_code",)),
}  # fmt: skip

_STORES, _ERRORS = "base/storage/test_store_faults.py", "laws/test_python_scalars.py"

ATTACK: dict[str, tuple[str, tuple[str, ...]]] = {
    # What an attack from outside found, by the number in its report: A silently wrong, B crashes, C stuck, D smaller.
    "A1": (
        "complex division inside a reduction",
        (
            "laws/test_fuzz.py::test_programs_found",
            "mdh/algebra/parts/test_complex_numbers.py::test_special_values",
            "laws/found/complex_quotients_in_sums.py",
        ),
    ),
    "A2": (
        "stale code, also from another process",
        (
            "laws/test_environment_changes.py::test_random_changes_across_processes",
            "laws/test_environment_changes.py::test_all_changes_of_one_kind",
            "mdh/frontend/source/test_environment.py::test_values_are_told_apart",
        ),
    ),
    "A3": (
        "integers of Python wrapped to the type of elements",
        (
            "laws/test_weak_numbers.py::test_comparisons_with_extremes",
            "laws/test_weak_numbers.py::test_numbers_of_python_meet_those_of_numpy",
            "laws/test_ends_of_integers.py::test_a_returned_integer_loses_no_digits",
        ),
    ),
    "A4": (
        "misaligned arrays that overlap",
        ("laws/test_shared_memory.py::test_vectors", "laws/test_shared_memory.py::test_records"),
    ),
    "A5": (
        "a source that is edited after its import",
        (
            f"{_CAPTURE}::test_a_file_edited_before_the_source_is_read_is_refused",
            f"{_CAPTURE}::test_the_text_at_the_time_of_decoration_is_used",
        ),
    ),
    "A6": (
        "large steps and bounds",
        ("laws/test_extreme_numbers.py::test_as_with_integers_of_any_size", "laws/test_extreme_forms.py"),
    ),
    "A7": (
        "signs of zeros, numbers without a result",
        (
            f"{_ERRORS}::test_same_errors_and_same_numbers",
            f"{_ERRORS}::test_a_float_stored_as_a_signed_integer",
            "laws/test_conversions.py::test_signs_of_zeros",
            "laws/test_conversions.py::test_unsigned_integers_take_floats_as_numpy_does",
            "laws/test_conversions.py::test_numpys_extremes_of_two_zeros_are_one_of_them",
        ),
    ),
    "B8": (
        "arithmetic of bounds that overflows",
        (
            "laws/test_extreme_numbers.py::test_arrays_of_any_extents_and_strides",
            "laws/test_flat_indices.py::test_products_of_huge_sizes",
        ),
    ),
    "B9": (
        "index arrays that another thread changes",
        (
            "laws/test_guard_pages.py::test_while_another_thread_writes_to_them",
            "faults/test_33_mutated_meanwhile.py::test_values_are_the_old_or_the_new_ones",
            "laws/test_memory_checks.py::test_what_leaves_its_array_is_found_and_nothing_else",
        ),
    ),
    "B10": (
        "deep nests, deep stacks, large sources",
        ("faults/test_16_deep_and_large.py", "laws/test_length_of_programs.py"),
    ),
    "C11": (
        "forks while others compile",
        ("laws/test_forks.py::test_forks_while_others_compile", "base/process/test_forks.py::test_the_order_is_kept"),
    ),
    "C12": (
        "Ctrl-C in kernels, while compiling, while tuning",
        (
            "faults/test_42_ctrl_c.py::test_a_kernel_ends_soon",
            "faults/test_42_ctrl_c.py::test_a_time_out_while_compiling",
            "faults/test_41_signals_while_tuning.py::test_an_exception_of_a_handler",
        ),
    ),
    "C13": (
        "a check that goes through the whole domain",
        ("laws/test_flat_indices.py::test_products_of_huge_sizes", "golden/test_checks.py::test_what_is_looked_at"),
    ),
    "D14": (
        "errors of values that are not used",
        (
            "laws/test_unused_reads.py::test_an_element_that_does_not_exist",
            "laws/test_unused_reads.py::test_choices_among_nothing",
            "laws/test_unused_reads.py::test_loops_whose_only_effect_is_an_error",
        ),
    ),
    "D15": (
        "errors without a line, after writes",
        (
            f"{_ERRORS}::test_errors_say_where_and_what_the_other_elements_hold",
            f"{_ERRORS}::test_what_arguments_decide_is_an_error_before_anything_is_written",
        ),
    ),
    "D16": (
        "directories that others can write to",
        (
            f"{_STORES}::test_60_a_directory_that_a_group_can_replace_is_refused",
            f"{_STORES}::test_60_a_base_directory_of_another_user_is_refused",
            f"{_STORES}::test_a_store_that_is_deleted_is_not_named",
        ),
    ),
    "D17": (
        "functions without a file",
        (
            "mdh/frontend/source/test_where_programs_come_from.py::test_command_line",
            "mdh/frontend/source/test_where_programs_come_from.py::test_exec",
            f"{_CAPTURE}::test_what_python_was_started_with",
        ),
    ),
    "D18": ("the faults of practice", ("faults/test_where.py::test_a_fault_has_a_test",)),
}
