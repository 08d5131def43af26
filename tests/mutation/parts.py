"""The parts of the compiler that mutation testing is for, and the tests that are to notice."""

from __future__ import annotations

PARTS: dict[str, tuple[str, ...]] = {
    "dependence": ("frontend/loops/dependence.py", "frontend/loops/integer_sets.py", "frontend/loops/flat_indices.py"),
    "recognise": ("frontend/loops/reduction_recognition.py", "frontend/loops/extrema.py", "frontend/loops/scatter.py"),
    "checks": (
        "algebra/check.py",
        "algebra/check_scalar.py",
        "frontend/trace_ir/check.py",
        "lowlevel/check.py",
        "kernel/verify.py",
    ),
    "bounds": ("algebra/bounds.py", "algebra/subscript_ranges.py", "frontend/to_algebra/bounds_checks.py"),
    "constraints": ("lowering/configuration/constraints.py",),
    "capture": ("frontend/source/capture.py", "frontend/source/environment.py", "frontend/source/library.py"),
    "emitter": ("targets/llvm/*.py", "targets/llvm/types/*.py"),
    "passes": ("kernel/passes/*.py",),
    "lowering": (
        "lowering/configuration/lower.py",
        "lowering/configuration/tuning_parameters.py",
        "lowering/configuration/shape_class.py",
        "algebra/rewrites/*.py",
    ),
}
"""Files of `jitmdh/mdh`. The analytic model is not among them: what it decides is how fast code is, not what is right."""

TESTS = (
    "tests/mdh",
    "tests/golden",
    "tests/errors",
    "tests/jit/compilation",
    "tests/jit/test_arg_extrema.py",
    "tests/jit/test_several_operators.py",
    "tests/laws/test_algebra_homomorphism.py",
    "tests/laws/test_configurations.py",
    "tests/laws/test_environment_changes.py",
    "tests/laws/test_flat_indices.py",
    "tests/laws/test_found.py",
    "tests/laws/test_indirect.py",
    "tests/laws/test_kernel.py",
    "tests/laws/test_lowlevel.py",
    "tests/laws/test_outlined_loops.py",
    "tests/laws/test_programs.py",
    "tests/laws/test_records.py",
    "tests/laws/test_several_operators.py",
    "tests/laws/test_slices_in_loops.py",
    "tests/laws/test_shared_memory.py",
    "tests/laws/test_unused_reads.py",
)

UNRELATED = (
    "tests/mdh/algebra/operations",
    "tests/mdh/algebra/semantics/test_operations.py",
    "tests/mdh/frontend/arrays/test_missing_arguments.py",
    "tests/mdh/frontend/interpreter/test_scalar_functions.py",
    "tests/mdh/lowering/model/test_analytic_model.py",
    "tests/mdh/lowering/test_space.py",
    "tests/mdh/machine",
    "tests/mdh/targets/opencl",
)
"""Folders and files among them that are about single functions of numbers, or about speed: they would only take time."""
