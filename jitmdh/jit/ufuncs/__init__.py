"""`mdh.vectorize` and `mdh.guvectorize`: functions of elements as functions of arrays, with NumPy's broadcasting."""
