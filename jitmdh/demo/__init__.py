"""The demonstration: real data, plain decorated loop nests, every result checked (`python -m jitmdh demo`)."""
