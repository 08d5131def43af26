"""Programs that are forked from the warm process do what they do in a Python of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tests.warm_start import warm_python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")

SCRIPT = "import os, sys\nprint(sys.argv[1:], __name__, __file__, sys.path[0], os.getcwd(), os.environ['OWN'])\n"
COMMANDS = (
    ("script.py", "a", "b c"),
    ("-c", "import sys; print(sys.argv, sys.stdin.read()); sys.exit(3)", "x"),
    ("-c", "import sys; print('out', flush=True); print('err', file=sys.stderr); 1 / 0"),
    ("-c", "import atexit; atexit.register(print, 'at the end'); raise SystemExit('a message')"),
    ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"),
    ("-W", "error", "-c", "import warnings; warnings.warn('an error')"),
    ("-c", "from jitmdh.base.settings import config; print(config.num_threads, config.cache_size)"),
    ("-c", "import threading; threading.Thread(target=print, args=['late']).start()"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[-1][-30:])
def test_as_in_a_python_of_its_own(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "OWN": "ä", "MDH_NUM_THREADS": "3", "PYTHONPATH": str(Path(__file__).parents[1])}
    expected, found = (
        subprocess.run(
            [*python, *command], cwd=tmp_path, env=environment, input="given", capture_output=True, text=True
        )
        for python in ([sys.executable], warm_python())
    )
    assert (found.returncode, found.stdout) == (expected.returncode, expected.stdout)
    assert found.stderr.splitlines()[-1:] == expected.stderr.splitlines()[-1:]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_signals_reach_the_program(number: signal.Signals) -> None:
    text = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    with subprocess.Popen(
        [*warm_python(), "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        program = int(process.stdout.readline())
        assert program != process.pid
        process.send_signal(number)
        _, errors = process.communicate()
    assert process.returncode == -number
    assert errors.endswith("KeyboardInterrupt\n" if number == signal.SIGINT else "")
    wait_until(lambda: not Path(f"/proc/{program}").exists())
