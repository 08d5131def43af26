"""From the trace to programs of the algebra."""
