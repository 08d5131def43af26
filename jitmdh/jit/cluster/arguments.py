"""Arrays in blocks among the arguments of a call, recognised without importing what they are of."""

from __future__ import annotations

from typing import Any


def is_dask(value: Any) -> bool:
    return type(value).__module__.startswith("dask.array.") and hasattr(value, "dask")


def is_zarr(value: Any) -> bool:
    return type(value).__module__.startswith("zarr.") and hasattr(value, "chunks") and hasattr(value, "store")


def is_labelled(value: Any) -> bool:
    """An array of xarray's over a Dask array: labels are not looked at."""
    return type(value).__module__.startswith("xarray.") and is_dask(getattr(value, "data", None))
