"""Index notation for tensors: formulas such as `Q["kp"] + K["kl"] * I["lp"]` as programs of the algebra."""
