"""What transformations of a loop nest decide, one file for each family, and the configuration that comes of it."""
