"""Back ends: each spells kernel IR in its own language."""
