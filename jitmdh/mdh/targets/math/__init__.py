"""Mathematical functions as straight-line code on vectors, for every target that can spell a few instructions."""
