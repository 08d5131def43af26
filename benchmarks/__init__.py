"""Peers side by side: `python -m jitmdh bench`. Never measure while other programs run on the machine."""
