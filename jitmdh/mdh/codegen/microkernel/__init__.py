"""Register tiles: their loads, arithmetic and stores."""
