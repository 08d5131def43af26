"""What search techniques are made of: the search that asks and is told, moves between points, coordinates."""
