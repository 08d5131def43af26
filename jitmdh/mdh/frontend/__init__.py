"""Python into the algebra."""
