"""De-composition: parts for cores, loops over tiles, and what they rest on."""
