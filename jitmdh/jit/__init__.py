"""The keystone: the decorator, and everything between the three wings."""

from jitmdh.jit.package import CallablePackage

__all__ = ["CallablePackage"]
