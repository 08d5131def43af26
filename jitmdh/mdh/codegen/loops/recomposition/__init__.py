"""Re-composition: accumulators, horizontal reduction, results that wait in buffers, stores."""
