"""Einstein's notation as programs."""
