"""The parameters of a decorated function as they are now, and the arguments of its calls in their order."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from jitmdh.jit.compilation.decorated import bound
from jitmdh.jit.compilation.signature import Prepared, prepare
from jitmdh.jit.compilation.structures import Leaves, leaves


class Parameters:
    """Of one function. static: names of arguments whose numbers are part of the signature; given: what the function is
    called with instead, where its arguments hold others (`structures`)."""

    def __init__(self, function: Any, name: str, static: Collection[str], given: Leaves | None = None) -> None:
        self.given, self._name = given, name
        self._static = set(static)
        self._meant: tuple[Any, ...] = ()
        self._takes_many = False
        self.names: tuple[str, ...] = () if given is None else given.names
        self.signature = self.now(function)

    def now(self, function: Any) -> inspect.Signature:
        """The signature that the function has now, with its defaults."""
        fields = [getattr(function, name, None) for name in ("__code__", "__defaults__", "__kwdefaults__")]
        now = (function, *fields, *(fields[2] or {}).values())
        if len(now) != len(self._meant) or any(a is not b for a, b in zip(now, self._meant)):
            self._meant, self.signature = now, inspect.signature(function)
            if self.given is None:
                self.names = tuple(self.signature.parameters)
            self._takes_many = any(p.kind is p.VAR_POSITIONAL for p in self.signature.parameters.values())
        return self.signature

    def bound(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in order, defaults filled in. TypeError as Python raises it."""
        if self.given is not None:
            return args
        signature = self.now(function)
        if not kwargs and len(args) == len(self.names) and not self._takes_many:
            return args
        return bound(self._name, signature, args, kwargs)

    def leaves(self, function: Any, arguments: tuple[Any, ...]) -> Leaves | None:
        """What the arguments hold; None where they are all that compiled code is to be given."""
        return None if self.given is not None else leaves(function, self.signature, arguments)

    def make_static(self, argument: str) -> bool:
        """From now on the number that an argument is chooses the code. False: it is none, or did so before."""
        if argument not in self.names or argument in self._static:
            return False
        self._static.add(argument)
        return True

    def prepared(self, arguments: tuple[Any, ...]) -> Prepared:
        """The arguments of a call, in order, made ready; errors as of `signature.prepare`."""
        found = prepare(self.names, arguments, self._static)
        if self.given is None:
            return found
        made = replace(found.signature, structure=self.given.structure, outside=self.given.outside)
        return replace(found, signature=made)


__all__ = ["Parameters"]
