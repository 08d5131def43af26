"""Offloading: which parts of a kernel run on a device, and what the host keeps."""
