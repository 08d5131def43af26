"""`python -m jitmdh demo`: everything in order."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from jitmdh.base.errors import DeviceError

if TYPE_CHECKING:
    from rich.console import Console

    from jitmdh.demo.measure import TaskOutcome
    from jitmdh.demo.task import Task

MOSAIC = 6


def require_packages() -> None:
    """DeviceError with what to install where scikit-learn (the data) or Pillow (the pictures) is missing."""
    from importlib.util import find_spec

    missing = [name for module, name in (("sklearn", "scikit-learn"), ("PIL", "Pillow")) if find_spec(module) is None]
    if missing:
        raise DeviceError(
            f"the demo needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed",
            hint='python -m pip install "jitmdh[demo]", or in a clone: python -m pip install -e ".[demo]"',
        )


def run(output: Path, with_numba: bool = True) -> int:
    """Runs the demonstration; pictures go to `output`. 0 if every check passed, else 1."""
    require_packages()
    from rich.console import Console

    from jitmdh.base.settings import config
    from jitmdh.demo import numba_twin, report
    from jitmdh.hca import roofline

    begin = time.perf_counter()
    screen = Console()
    if not screen.is_terminal:
        screen = Console(width=report.WIDTH)
    progress = Console(stderr=True)
    threads = config.num_threads
    with progress.status("measuring this machine") as status:
        machine = roofline.measure(threads)
        use_numba = with_numba and numba_twin.available()
        outcomes, results = _outcomes(machine, use_numba, output, status.update)
    screen.print(f"\n[bold]jitmdh[/]: plain Python loop nests, compiled. {threads} threads, f32.\n")
    screen.print(report.table(outcomes))
    screen.print(report.notes(outcomes, machine), highlight=False, style="dim")
    for line in results:
        screen.print(line, highlight=False, soft_wrap=True)
    return _verdict(screen, outcomes, time.perf_counter() - begin)


def _outcomes(machine: object, with_numba: bool, output: Path, say: object) -> tuple[list[TaskOutcome], list[str]]:
    from jitmdh.demo import linkage, photograph, ridge
    from jitmdh.demo.measure import measure
    from jitmdh.hca.roofline import Limits

    assert isinstance(machine, Limits) and callable(say)

    def measured(task: Task) -> TaskOutcome:
        say(f"{task.title}: {task.detail}")
        return measure(task, machine, with_numba)

    outcomes, results = [], [""]
    picture = photograph.photograph()
    small = photograph.task(picture, "5×5 blur")
    outcomes.append(measured(small))
    file = output / "blur.png"
    photograph.save_before_and_after(picture, small.outputs[0], file)
    results.append(f"blur: before and after in {file}")
    outcomes.append(measured(photograph.task(photograph.mosaic(picture, MOSAIC), "5×5 blur, larger")))

    data = ridge.digits()
    work = ridge.regression(data)
    outcomes += [measured(ridge.gram_task(work)), measured(ridge.moments_task(work))]
    work.run()
    results.append(f"ridge regression: {work.accuracy():.1%} of {len(data.test_digit)} test digits read correctly")

    linked = linkage.task(data)
    outcomes.append(measured(linked))
    share = linkage.accuracy(data, linked.outputs[1])
    results.append(f"record linkage: {share:.1%} of {len(data.test_digit)} test digits matched to the same digit")
    return outcomes, results


def _verdict(screen: Console, outcomes: list[TaskOutcome], seconds: float) -> int:
    wrong = [outcome.task.title for outcome in outcomes if not outcome.check.passed]
    if wrong:
        screen.print(f"[bold red]Wrong results: {', '.join(wrong)}.[/]")
        return 1
    screen.print(f"All {len(outcomes)} results checked, all right. {seconds:.0f} s.", highlight=False)
    return 0
