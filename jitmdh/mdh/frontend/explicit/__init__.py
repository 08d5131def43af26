"""The explicit representation (Figure 12, Listing 45)."""
