"""What a processor does in a cycle and how far its data are: measured by small loops of vector instructions."""
