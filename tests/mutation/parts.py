"""The parts of the compiler that mutation testing is for, and the tests that are to notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """files: patterns in `jitmdh/mdh`; tests: files and folders in `tests`, those that are about this part first."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


_PROGRAMS = ("golden/test_trace.py", "golden/test_algebra.py", "mdh/frontend/test_programs.py", "mdh/frontend/loops")

PARTS = {
    "dependence": Part(
        ("frontend/loops/dependence.py", "frontend/loops/integer_sets.py", "frontend/loops/flat_indices.py"),
        (*_PROGRAMS, "golden/test_checks.py", "mdh/frontend/python/iteration/test_double_buffering.py"),
    ),
    "recognise": Part(
        ("frontend/loops/reduction_recognition.py", "frontend/loops/extrema.py", "frontend/loops/scatter.py"),
        ("golden/test_updates.py", *_PROGRAMS, "errors", "jit/test_arg_extrema.py"),
    ),
    "checks": Part(
        (
            "algebra/check.py",
            "algebra/check_scalar.py",
            "frontend/trace_ir/check.py",
            "lowlevel/check.py",
            "kernel/verify.py",
        ),
        (
            "mdh/algebra/test_check.py",
            "mdh/frontend/trace_ir/test_check.py",
            "mdh/lowlevel/test_check.py",
            "mdh/kernel/test_verify.py",
            "mdh/kernel/test_verify_of_threads.py",
            "mdh/kernel/test_simt_interp.py",
        ),
    ),
    "bounds": Part(
        ("algebra/bounds.py", "algebra/subscript_ranges.py", "frontend/to_algebra/bounds_checks.py"),
        (
            "golden/test_checks.py",
            *_PROGRAMS,
            "mdh/algebra/test_subscript_ranges.py",
            "mdh/frontend/to_algebra",
            "mdh/frontend/arrays/test_gathers.py",
            "laws/test_unused_reads.py",
            "laws/test_subscripts_of_indices.py",
            "laws/test_guarded_places.py",
            "laws/test_extreme_numbers.py",
        ),
    ),
    "constraints": Part(
        ("lowering/configuration/constraints.py",),
        ("mdh/lowering/configuration/test_constraints.py", "golden/test_lowlevel.py", "mdh/lowering/test_schedule.py"),
    ),
    "capture": Part(
        ("frontend/source/capture.py", "frontend/source/environment.py", "frontend/source/library.py"),
        ("mdh/frontend/source", "jit/compilation", "laws/test_environment_changes.py"),
    ),
    "emitter": Part(
        ("targets/llvm/**/*.py",),
        (
            "golden/test_llvm.py",
            "mdh/targets/llvm",
            "golden/test_kernel.py",
            "mdh/kernel/passes",
            "laws/test_kernel.py",
        ),
    ),
    "passes": Part(("kernel/passes/**/*.py",), ("mdh/kernel/passes", "golden/test_kernel.py", "mdh/targets/llvm")),
    "lowering": Part(
        (
            "lowering/configuration/lower.py",
            "lowering/configuration/tuning_parameters.py",
            "lowering/configuration/shape_class.py",
            "algebra/rewrites/**/*.py",
        ),
        (
            "golden/test_steps.py",
            "mdh/algebra/rewrites",
            "mdh/lowering/configuration",
            "mdh/lowering/test_nests.py",
            "mdh/lowlevel",
            "golden",
            "laws/test_together.py",
            "laws/test_overlapped_tiles.py",
            "laws/test_merged_computations.py",
        ),
    ),
}
"""The analytic model is in none of them: it decides how fast code is, not what is right."""
