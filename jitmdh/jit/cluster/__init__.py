"""Decorated functions on arrays in blocks: `dask.array`, Zarr, and xarray's over them, on one machine or many."""
