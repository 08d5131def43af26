"""Memory in more than one place, as drivers copy and map it."""
