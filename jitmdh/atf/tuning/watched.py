"""What a user sees while `Tuner.tune` runs: a line of progress, a page that refreshes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from jitmdh.atf.results.outcome import negative
from jitmdh.atf.results.result import TuningResult
from jitmdh.atf.tuning.abort import Condition, share_done
from jitmdh.atf.tuning.protocol import Steered
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass

_LONGEST = 120
_SECONDS, _TIMES = 2.0, 50.0
"""A page is written anew after so many seconds, and so many times as long as writing takes."""


@dataclass
class Watched:
    """shown: a line in the terminal; live: where the page goes. maximised: more is better."""

    tuner: Steered
    condition: Condition
    maximised: bool
    shown: bool
    live: str | Path | None

    def __post_init__(self) -> None:
        self._next = 0.0
        if self.live is not None and not Path(self.live).parent.is_dir():
            raise ConfigurationError(f"{self.live}: no page can be written there", reason="There is no such folder.")

    @contextmanager
    def updates(self) -> Iterator[Callable[[], None]]:
        """What is to be called after each evaluation."""
        with self._line() as line:

            def update() -> None:
                line()
                if self.live is not None and monotonic() >= self._next and self.tuner.best_configuration is not None:
                    begin = monotonic()
                    found = self.tuner.result("not yet")
                    self._written(found.as_maximised() if self.maximised else found, running=True)
                    self._next = monotonic() + max(_SECONDS, _TIMES * (monotonic() - begin))

            yield update

    def ended(self, result: TuningResult) -> None:
        """The page stays as the report."""
        if self.live is not None:
            self._written(result, running=False)

    def _written(self, result: TuningResult, running: bool) -> None:
        """A browser never meets half a page."""
        assert self.live is not None
        path = Path(self.live)
        new = path.with_name(f".{path.name}.new")
        new.write_text(result.page(running), encoding="utf-8")
        new.replace(path)

    @contextmanager
    def _line(self) -> Iterator[Callable[[], None]]:
        """With a bar for the part of the abort condition that is known to come: time or evaluations."""
        if not self.shown:
            yield lambda: None
            return
        from rich.markup import escape
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (BarColumn(20), TimeElapsedColumn(), TextColumn("{task.description}"))
        with Progress(*columns) as progress:
            task = progress.add_task("tuning", total=None)

            def update() -> None:
                share = share_done(self.condition, self.tuner)
                progress.update(
                    task,
                    description=f"{self.tuner.evaluation_count} evaluations, {escape(self._best())}",
                    total=None if share is None else 1.0,
                    completed=share or 0.0,
                )

            yield update

    def _best(self) -> str:
        best, score = self.tuner.best_configuration, self.tuner.best_score
        if best is None:
            return "none valid yet"
        values = ", ".join(f"{n} = {v!r}" for n, v in best.items())
        short = values if len(values) <= _LONGEST else values[:_LONGEST] + " …"
        return f"best {negative(score) if self.maximised else score:.6g}: {short}"
