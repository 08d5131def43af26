"""The analytic model of blocks of threads: which configuration a GPU is given, and what it is expected to take."""
