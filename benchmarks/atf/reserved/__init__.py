"""Recorded spaces that nothing is chosen by: the search is measured on them, to report."""
