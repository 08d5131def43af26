"""Copies of tiles to buffers with a layout."""
