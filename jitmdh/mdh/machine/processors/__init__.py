"""Known processors, a file each: public documents and measurements, named beside the figures."""
