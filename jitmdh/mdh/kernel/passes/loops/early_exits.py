"""Early exits: a function ends where an error is found, instead of taking the knowledge of it to its end.

Before:   bool faulty = false;                     after:   while (active) {
          bool stopped = false;                                 if (outside) leave with 7;
          while (active) {                                      v = x[i];
              if (outside) {                                    y[i] = v;
                  faulty = true;                                active = i < n;
                  stopped = true;                           }
              } else
                  v = x[i];
              if (!stopped)
                  y[i] = v;
              active = (i < n) & !stopped;
          }
          if (any(faulty)) status = 7;

Requires: what stands behind an error need not happen: the call raises it.
Ensures: no variable of one lane that remembers a fault is written where the fault is found; a `Fail` that leaves stands
there. Variables that nothing writes any more are gone. Faults of vectors, whose other lanes go on, stay as they are. Of
several faults, the one that happens first is the status.

All that is known where nobody left holds behind it: code generation finds a subscript inside of an array by what was
looked at before, and keeps no fault in a register.
"""

from __future__ import annotations

from jitmdh.base.dtype import bool_
from jitmdh.mdh.kernel.arithmetic import FALSE, TRUE
from jitmdh.mdh.kernel.ir import Apply, Assign, Declare, Fail, If, Kernel, Name, Statement, Value
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, kinds, map_bodies, map_children, same, statements


def leave_early(kernel: Kernel) -> Kernel:
    if not {Fail, Declare, If} <= kinds(kernel.body):
        return kernel
    written = list(statements(kernel.body))
    declared = {s.name.name for s in written if isinstance(s, Declare) and s.name.type == bool_ and s.name.lanes == 1}
    codes = {
        s.condition.name: s.code
        for s in written
        if isinstance(s, Fail) and isinstance(s.condition, Name) and s.condition.name in declared
    }
    if not codes:
        return kernel
    left = _Leaving(codes).kernel(kernel)
    if left is kernel:
        return kernel
    known = list(statements(left.body))
    changed = {s.name.name for s in known if isinstance(s, Assign)}
    never = {s.name.name for s in known if isinstance(s, Declare) and s.value == FALSE and s.name.name not in changed}
    return _Without(never).kernel(left)


class _Leaving(Rewriter):
    """codes: the status of each variable that remembers a fault."""

    def __init__(self, codes: dict[str, int]) -> None:
        self.codes = codes

    def body(self, body: Body) -> Body:
        new = [self.left(s) if type(s) in NESTED else s for s in body]
        return body if same(new, body) else tuple(new)

    def left(self, node: Statement) -> Statement:
        if isinstance(node, If) and node.rare and (code := self.code(node)) is not None:
            node = If(node.condition, (Fail(TRUE, code, leaves=True),), node.otherwise, rare=True)
        return map_bodies(node, self.body)

    def code(self, node: If) -> int | None:
        """The status of the fault that a branch remembers, if it does nothing else."""
        found: int | None = None
        for statement in node.then:
            if not isinstance(statement, Assign) or statement.value not in (TRUE, node.condition):
                return None
            found = self.codes.get(statement.name.name, found)
        return found


class _Without(Rewriter):
    """never: variables that are false throughout."""

    def __init__(self, never: set[str]) -> None:
        self.never = never

    def body(self, body: Body) -> Body:
        new = [self.known(s) for s in body if not self.is_idle(s)]
        return body if same(new, body) else tuple(new)

    def is_idle(self, node: Statement) -> bool:
        of = node.name if isinstance(node, Declare) else node.condition if isinstance(node, Fail) else None
        return isinstance(of, Name) and of.name in self.never

    def known(self, node: Statement) -> Statement:
        node = map_children(node, self.value)
        return map_bodies(node, self.body) if type(node) in NESTED else node

    def value(self, node: Value) -> Value:
        if isinstance(node, Name):
            return FALSE if node.name in self.never else node
        node = map_children(node, self.value)
        if isinstance(node, Apply) and node.type == bool_ and node.lanes == 1:
            if node.op == "not" and node.operands[0] == FALSE:
                return TRUE
            if node.op == "and" and TRUE in node.operands:
                return node.operands[0] if node.operands[1] == TRUE else node.operands[1]
        return node
