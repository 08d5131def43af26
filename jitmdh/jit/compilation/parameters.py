"""The parameters of a decorated function as they are now, and the arguments of its calls in their order."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from jitmdh.jit.compilation.decorated import bound
from jitmdh.jit.compilation.signature import Prepared, prepare
from jitmdh.jit.compilation.structures import Leaves, leaves


class Parameters:
    """Of one function. static: names of arguments whose numbers are part of the signature; given: what the function is
    called with instead, where its arguments hold others (`structures`). extents_known: see `signature.prepare`."""

    def __init__(
        self, function: Any, name: str, static: Collection[str], given: Leaves | None = None,
        extents_known: bool = False,
    ) -> None:  # fmt: skip
        self.given, self._name, self._extents_known = given, name, extents_known
        self._static = set(static)
        self._meant: tuple[Any, ...] = ()
        self._takes_many = self._ends_in_many = False
        self._positional = self._most = 0
        self._defaults: dict[str, Any] = {}
        self.names: tuple[str, ...] = () if given is None else given.names
        self.signature = self.now(function)

    def now(self, function: Any) -> inspect.Signature:
        """The signature that the function has now, with its defaults."""
        code, defaults = getattr(function, "__code__", None), getattr(function, "__defaults__", None)
        by_name = getattr(function, "__kwdefaults__", None)
        now = (function, code, defaults, by_name, *(by_name.values() if by_name else ()))
        if not all(map(operator.is_, now, self._meant)) or len(now) != len(self._meant):
            self._meant, self.signature = now, inspect.signature(function)
            if self.given is None:
                self.names = tuple(self.signature.parameters)
            every = self.signature.parameters.values()
            self._takes_many = any(p.kind is p.VAR_POSITIONAL for p in every)
            self._ends_in_many = bool(every) and tuple(every)[-1].kind is inspect.Parameter.VAR_POSITIONAL
            plain = all(p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in every)
            self._positional = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in every) if plain else -1
            self._most = sum(p.kind is not p.KEYWORD_ONLY for p in every)
            self._defaults = {p.name: p.default for p in every if p.default is not p.empty}
        return self.signature

    def in_order(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """All arguments by their places, defaults filled in, where the function is what it was; None otherwise."""
        if not self.are_in_order(function, self._positional):
            return None
        return args if not kwargs and len(args) == self._positional else self._by_names(args, kwargs)

    def are_in_order(self, function: Any, count: int) -> bool:
        """Whether so many arguments by place are all there are, and the function is what it was: asked by each call
        whose arguments hold others."""
        meant = self._meant
        return (
            count == self._positional == len(self.names)
            and len(meant) == 4  # no defaults by name
            and meant[0] is function
            and meant[1] is getattr(function, "__code__", None)
            and meant[2] is getattr(function, "__defaults__", None)
            and getattr(function, "__kwdefaults__", None) is None
        )

    def bound(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in order, defaults filled in. TypeError as Python raises it."""
        if self.given is not None:
            return args
        signature = self.now(function)
        if not kwargs and not self._takes_many and len(args) == len(self.names):
            return args
        if not kwargs and self._ends_in_many and len(args) >= (least := len(self.names) - 1):
            return *args[:least], args[least:]
        found = self._by_names(args, kwargs)
        return bound(self._name, signature, args, kwargs) if found is None else found

    @property
    def need_names(self) -> bool:
        """Whether some arguments may be given by name only."""
        return self.given is None and self._most < len(self.names)

    def require_names(self, function: Any, args: tuple[Any, ...], in_order: bool = False) -> None:
        """TypeError, as Python raises it, for an argument that is given by its place, but may be by name only.

        in_order: this has been asked before, and all arguments were put in their order."""
        if not in_order and self.need_names and len(args) > self._most and not self._takes_many:
            bound(self._name, self.now(function), args, {})

    def _by_names(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
        """The same where all is right and the parameters have names; None leaves the call to `inspect`, which is
        several times as slow as what small calls compute."""
        if len(args) > self._positional:
            return None
        values, left = list(args), len(kwargs)
        for name in self.names[len(args) :]:
            if name in kwargs:
                left -= 1
                values.append(kwargs[name])
            elif name in self._defaults:
                values.append(self._defaults[name])
            else:
                return None
        return None if left else tuple(values)

    @property
    def are_positional(self) -> bool:
        """Whether all arguments of a call may be given in their order."""
        return self._positional == len(self.names)

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
        found = prepare(self.names, arguments, self._static, self._extents_known)
        if self.given is None:
            return found
        made = replace(found.signature, structure=self.given.structure, outside=self.given.outside)
        return replace(found, signature=made)


__all__ = ["Parameters"]
