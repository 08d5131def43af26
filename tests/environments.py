"""What a function can read from around it, as small pieces of program that are put together at random.

A `Feature` is some text that sets values up, an expression that reads them, and statements that change them. The test
of each is the function itself, undecorated: it reads everything anew at every call.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

PRELUDE = """\
from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import math
import types

import numpy as np

import jitmdh as mdh
import pkg.sub
from pkg import sub as direct
"""
PACKAGE = "CONST = {v}\n\n\ndef fn(x):\n    return x * CONST\n\n\nclass Deep:\n    k = {v}\n"


@dataclass(frozen=True)
class Feature:
    """setup: top-level text, `{v}` a number; reads: expressions of `v` (an element), one is used; changes: statements.

    A change that starts with `disk:` gives the text of pkg/sub.py anew.
    """

    name: str
    setup: str
    reads: tuple[str, ...]
    changes: tuple[str, ...]


FEATURES = (
    Feature("global", "g = {v}", ("g", "v * g"), ("g = {v}", "g = np.float32({v})", "g = int({v})", "del g")),
    Feature(
        "namespace",
        "cfg = types.SimpleNamespace(s={v}, inner=types.SimpleNamespace(t={v}))",
        ("cfg.s", "cfg.inner.t", "cfg.s * cfg.inner.t"),
        ("cfg.s = {v}", "cfg.inner.t = {v}", "cfg.inner = types.SimpleNamespace(t={v})", "del cfg.s",
         "cfg = types.SimpleNamespace(s={v}, inner=types.SimpleNamespace(t={v}))", "cfg.__dict__['s'] = {v}"),
    ),
    Feature(
        "dataclass",
        "@dataclasses.dataclass\nclass Data:\n    s: float = {v}\n\n\ndata = Data({v})\n"
        "@dataclasses.dataclass(slots=True)\nclass Slots:\n    s: float = {v}\n\n\nslots = Slots({v})\n"
        "@dataclasses.dataclass(frozen=True)\nclass Frozen:\n    s: float = {v}\n\n\nfrozen = Frozen({v})",
        ("data.s", "slots.s", "frozen.s", "data.s * slots.s", "Data.s"),
        ("data.s = {v}", "slots.s = {v}", "object.__setattr__(frozen, 's', {v})", "data = Data({v})", "Data.s = {v}",
         "del data.s", "data.__dict__ = dict(s={v})"),
    ),
    Feature(
        "classes",
        "class Base:\n    k = {v}\n\n\nclass Other:\n    k = {v}\n\n\nclass Child(Base):\n    pass\n\n\n"
        "class Odd(Base):\n    @property\n    def k(self):\n        return {v}\n\n\nthing = Child()",
        ("Child.k", "thing.k", "Child.k * thing.k"),
        ("Base.k = {v}", "Child.k = {v}", "thing.k = {v}", "Child = type('Child', (Other,), dict())",
         "thing.__class__ = Odd", "Child.k = property(lambda self: {v})", "thing = Odd()",
         "Child.__getattribute__ = lambda self, name: {v}", "Base.__getattr__ = lambda self, name: {v}; del Base.k"),
    ),
    Feature(
        "enumeration",
        "class Kind(enum.Enum):\n    A = {v}\n    B = 7.5\n\n\nclass Level(enum.IntEnum):\n    LOW = int({v})\n\n\n"
        "kind = Kind.A",
        ("Kind.A.value", "kind.value", "Level.LOW", "(2.0 if kind is Kind.A else 3.0)",
         "(2.0 if kind == Kind.B else 3.0)"),
        ("kind = Kind.B", "Kind.A._value_ = {v}", "Kind = enum.Enum('Kind', dict(A={v}, B=8.5))",
         "Level = enum.IntEnum('Level', dict(LOW=int({v})))"),
    ),
    Feature(
        "modules",
        "",
        ("pkg.sub.CONST", "direct.CONST", "pkg.sub.fn(v)", "direct.fn(v)", "pkg.sub.Deep.k"),
        ("pkg.sub.CONST = {v}", "pkg.sub.fn = lambda x: x + {v}", "pkg.sub.Deep.k = {v}", "disk:" + PACKAGE,
         "pkg.sub = types.SimpleNamespace(CONST={v}, fn=lambda x: x - {v}, Deep=types.SimpleNamespace(k={v}))",
         "direct.fn.__code__ = (lambda x: x - CONST).__code__", "del direct.CONST"),
    ),
    Feature(
        "static methods",
        "class Tools:\n    c = {v}\n\n    @staticmethod\n    def fn(x):\n        return x * Tools.c + {v}\n",
        ("Tools.fn(v)",),
        ("Tools.c = {v}", "Tools.fn = staticmethod(lambda x: x - {v})", "Tools.fn = lambda x: x + {v}",
         "Tools.fn.__code__ = (lambda x: x - Tools.c).__code__"),
    ),
    Feature(
        "defaults",
        "def plain(x, a={v}):\n    return x * a\n\n\ndef keyed(x, *, b={v}):\n    return x + b",
        ("plain(v)", "keyed(v)", "plain(keyed(v))", "plain(v, 2.0)"),
        ("plain.__defaults__ = ({v},)", "keyed.__kwdefaults__['b'] = {v}", "keyed.__kwdefaults__ = dict(b={v})",
         "plain.__code__ = (lambda x, a: x + a).__code__", "plain.__defaults__ = None",
         "f.py_func.__defaults__ = ({v},)"),
    ),
    Feature(
        "closures",
        "def factory(c):\n    def inner(x):\n        return x * c\n\n    def rebind(value):\n        nonlocal c\n"
        "        c = value\n\n    return inner, rebind\n\n\ninner, rebind = factory({v})",
        ("inner(v)",),
        ("rebind({v})", "inner, rebind = factory({v})", "rebind(types.SimpleNamespace())"),
    ),
    Feature(
        "builtins",
        "",
        ("abs(v)", "max(v, 1.5)", "min(max(v, 0.5), 2.0)", "float(v)"),
        ("abs = lambda x: x * {v}", "max = min", "abs = lambda x: x + {v}", "min = lambda a, b: a * b",
         "float = lambda x: x * {v}", "globals().pop('abs', 0)", "__builtins__ = dict(__builtins__)",
         "import builtins; f.py_func.__globals__['abs'] = builtins.max"),
    ),
    Feature(
        "libraries",
        "",
        ("np.sqrt(v)", "math.sin(v)", "np.sqrt(v) * math.sin(v)", "math.pi", "np.minimum(v, 1.5)"),
        ("np.sqrt = np.exp", "np.sqrt = lambda x: x * {v}", "math.sin = math.cos", "math.pi = {v}",
         "np.sqrt = functools.wraps(np.sqrt)(lambda x: x + {v})",
         "math.sin = functools.wraps(math.sin)(lambda x: x + {v})", "np.minimum = np.maximum",
         "def sqrt(x):\n    return x + {v}\nnp.sqrt = np.vectorize(sqrt)"),
    ),
    Feature(
        "branches",
        "mode = 'a'\nswitch = types.SimpleNamespace(on=True)\nfirst = types.SimpleNamespace(s={v})\n"
        "second = types.SimpleNamespace(s={v})",
        ("(first.s if mode == 'a' else second.s)", "(first.s if switch.on else second.s)",
         "(first.s if first is second else second.s)", "(first if v > 1.0 else second).s"),
        ("mode = 'b'", "mode = 'a'", "switch.on = not switch.on", "first.s = {v}", "second.s = {v}", "first = second",
         "second = types.SimpleNamespace(s={v})", "mode = None"),
    ),
    Feature(
        "passed on",
        "def use(x, c):\n    return x * c.s\n\n\ndef twice(x, fn):\n    return fn(fn(x))\n\n\n"
        "def step(x):\n    return x + {v}\n\n\ncarried = types.SimpleNamespace(s={v}, fn=step)",
        ("use(v, carried)", "twice(v, step)", "twice(v, carried.fn)", "carried.fn(v)"),
        ("carried.s = {v}", "step.__code__ = (lambda x: x * {v}).__code__", "carried.fn = lambda x: x - {v}",
         "use = lambda x, c: x + c.s", "carried = types.SimpleNamespace(s={v}, fn=lambda x: x)"),
    ),
    Feature(
        "tuples",
        "def third(x):\n    return x / 3.0\n\n\nT = ({v}, ({v}, third))\nempty = types.SimpleNamespace(t=({v}, 2))",
        ("T[0]", "T[1][0]", "T[1][1](v)", "empty.t[0]"),
        ("T = ({v}, ({v}, third))", "third.__code__ = (lambda x: x * {v}).__code__", "empty.t = ({v}, 3)",
         "T = (T[0], ({v}, lambda x: x + 1.0))"),
    ),
    Feature(
        "types",
        "DT = np.float32\nholder = types.SimpleNamespace(dt=np.float32, name='float32')",
        ("DT(v)", "holder.dt(v)", "np.float64(DT(v) * {v})"),
        ("DT = np.float64", "holder.dt = np.float64", "holder.dt = int", "DT = lambda x: x * {v}"),
    ),
    Feature(
        "decorated",
        "@mdh.jit(fallback='python')\ndef helper(x):\n    return x * scale\n\n\nscale = {v}\n\n\n"
        "@mdh.operator(identity=0.0)\ndef plus(a, b):\n    return a + b * scale",
        ("helper(v)", "plus(v, 1.0)", "helper(plus(v, 2.0))"),
        ("scale = {v}", "helper.py_func = lambda x: x + {v}", "plus.py_func = lambda a, b: a - b",
         "helper.py_func.__code__ = (lambda x: x - scale).__code__"),
    ),
    Feature(
        "arrays",
        "weights = np.full(7, {v})\nfactor = np.float32({v})",
        ("weights[2]", "weights[i]", "factor", "weights.shape[0] * v"),
        ("weights[2] = {v}", "weights = np.full(7, {v}, np.float32)", "weights = np.full(9, {v})", "weights *= 2.0",
         "factor = np.float64({v})", "weights.flags.writeable = False",
         "weights = np.arange(14.0)[::2]", "weights = {v}", "weights = np.full((7, 1), {v})[:, 0]"),
    ),
    Feature(
        "bases",
        "class Left:\n    k = {v}\n\n\nclass Right:\n    k = {v}\n\n\nclass Both(Left):\n    pass\n\n\n"
        "both = Both()",
        ("both.k", "Both.k", "both.k * Both.k"),
        ("Both.__bases__ = (Right,)", "Both.__bases__ = (Right, Left)", "Left.k = {v}", "Right.k = {v}",
         "del Left.k", "both.__class__ = type('Sub', (Right,), dict(k={v}))", "both = Right()",
         "Both.k = functools.cached_property(lambda self: {v})"),
    ),
    Feature(
        "partial",
        "def scaled(x, a, b={v}):\n    return x * a + b\n\n\nhalf = functools.partial(scaled, a={v})",
        ("half(v)",),
        ("half = functools.partial(scaled, a={v}, b=0.5)", "half.keywords['a'] = {v}", "half.keywords['b'] = {v}",
         "half.__setstate__((scaled, (), dict(a={v}), None))", "scaled.__defaults__ = ({v},)",
         "half = type('Own', (functools.partial,), dict(__call__=lambda self, x: x - {v}))(scaled, a=1.5)",
         "scaled.__code__ = (lambda x, a, b: x - a * b).__code__", "half = lambda x: x * {v}"),
    ),
)  # fmt: skip


def number(draw: random.Random) -> str:
    return f"{draw.randrange(1, 64) / 8}"


def filled(text: str, draw: random.Random) -> str:
    """`text` with a number of its own for each `{v}`."""
    parts = text.split("{v}")
    return parts[0] + "".join(number(draw) + part for part in parts[1:])


@dataclass(frozen=True)
class Program:
    """Features, the expressions that are read, and with them the text of the function."""

    features: tuple[Feature, ...]
    reads: tuple[str, ...]

    @property
    def function(self) -> str:
        terms = "".join(f"        t = t + {read}\n" for read in self.reads)
        head = "@mdh.jit(fallback='python')\ndef f(y, x, p=1.5):\n    for i in range(x.shape[0]):\n"
        return f"{head}        v = x[i]\n        t = v * p\n{terms}        y[i] = t\n"

    def text(self, draw: random.Random) -> str:
        """The whole module, with values of its own."""
        setup = "\n\n\n".join(filled(f.setup, draw) for f in self.features)
        return f"{PRELUDE}\n{setup}\n\n\n{self.function}"

    def change(self, draw: random.Random) -> str:
        return filled(draw.choice(draw.choice(self.features).changes), draw)


def program(draw: random.Random) -> Program:
    features = tuple(draw.sample(FEATURES, draw.randint(1, 3)))
    reads = tuple(filled(draw.choice(f.reads), draw) for f in features)
    return Program(features, reads)
