"""The analytic model: a good configuration from the machine's caches and registers, without tuning."""
