"""CUDA's run-time compiler, which needs no GPU: the extra `cuda-check`, which is part of the extra `test`."""

from __future__ import annotations

import pytest

from jitmdh.hca import nvrtc


def require_nvrtc() -> None:
    """Skips the test that asks, with the remedy, where NVRTC is not installed."""
    if nvrtc.library() is None:
        pytest.skip("NVRTC is not installed: pip install 'jitmdh[cuda-check]'")
