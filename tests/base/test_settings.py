"""Settings: where values come from, what is refused, and who sees an override."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.settings import Config


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Config:
    for setting in Config.table().values():
        monkeypatch.delenv(setting.variable, raising=False)
    return Config()


def test_defaults(config: Config) -> None:
    assert config.tuning_overhead == 0.05
    assert config.num_threads == usable_cores()
    assert (config.cache, config.cache_dir, config.cache_size) == (True, None, 512 * 2**20)
    assert (config.check, config.log, config.dump) == (False, "off", "")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("tuning_overhead", "0", 0.0),
        ("tuning_overhead", " 0.25 ", 0.25),
        ("num_threads", "3", 3),
        ("cache", "off", False),
        ("cache", "YES", True),
        ("cache_dir", "/some/where", Path("/some/where")),
        ("cache_size", "1000", 1000),
        ("cache_size", "200MB", 200_000_000),
        ("cache_size", "1.5 GiB", 3 * 2**29),
        ("check", "1", True),
        ("log", "Info", "info"),
        ("dump", "after:fma", "after:fma"),
    ],
)
def test_environment(config: Config, monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: object) -> None:
    monkeypatch.setenv(f"MDH_{name.upper()}", text)
    assert getattr(config, name) == value


def test_an_empty_variable_is_not_set(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MDH_NUM_THREADS", "")
    assert config.num_threads == usable_cores()


def test_the_environment_is_read_when_first_needed_and_again_after_del(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MDH_NUM_THREADS", "1")
    assert config.num_threads == 1
    monkeypatch.setenv("MDH_NUM_THREADS", "2")
    assert config.num_threads == 1
    del config.num_threads
    assert config.num_threads == 2


BAD = [
    ("tuning_overhead", "much", "a number from 0 to 1"),
    ("tuning_overhead", "1.5", "a number from 0 to 1"),
    ("tuning_overhead", "nan", "a number from 0 to 1"),
    ("num_threads", "0", "a positive integer"),
    ("num_threads", "two", "a positive integer"),
    ("num_threads", "2.5", "a positive integer"),
    ("cache", "maybe", "0 or 1"),
    ("cache_size", "-1", "a size such as 200000000, 200MB or 1GiB"),
    ("cache_size", "12 parsecs", "a size such as 200000000, 200MB or 1GiB"),
    ("log", "loud", "one of off, error, warning, info, debug"),
    ("dump", "before:fma", "all or after:PASS"),
]


@pytest.mark.parametrize(("name", "text", "expected"), BAD)
def test_a_bad_variable_is_named_with_its_value(
    config: Config, monkeypatch: pytest.MonkeyPatch, name: str, text: str, expected: str
) -> None:
    variable = f"MDH_{name.upper()}"
    monkeypatch.setenv(variable, text)
    with pytest.raises(ConfigurationError) as caught:
        getattr(config, name)
    meaning = Config.table()[name].meaning
    assert str(caught.value) == (
        f"environment variable {variable}: expected {expected}, got {text!r} [MDH301]\n  {name}: {meaning}"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [("num_threads", True), ("num_threads", 2.0), ("tuning_overhead", None), ("cache", 2), ("cache", None),
     ("cache_dir", 3), ("cache_dir", ""), ("cache_size", 1.5), ("log", 1), ("dump", 1)],
)  # fmt: skip
def test_a_bad_value_is_refused_where_it_is_given(config: Config, name: str, value: Any) -> None:
    before = getattr(config, name)
    with pytest.raises(ConfigurationError, match=f"setting {name}: expected "):
        setattr(config, name, value)
    with pytest.raises(ConfigurationError, match=f"setting {name}: expected "):
        config(**{name: value})
    assert getattr(config, name) == before


def test_assignment_holds_and_outranks_the_environment(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MDH_NUM_THREADS", "7")
    config.num_threads = 2
    assert config.num_threads == 2
    del config.num_threads
    assert config.num_threads == 7


def test_override_in_a_block(config: Config) -> None:
    with config(tuning_overhead=0.0, check=True):
        assert (config.tuning_overhead, config.check) == (0.0, True)
        with config(tuning_overhead=1):
            assert (config.tuning_overhead, config.check) == (1.0, True)
        assert config.tuning_overhead == 0.0
    assert (config.tuning_overhead, config.check) == (0.05, False)


def test_an_override_ends_with_an_exception(config: Config) -> None:
    with pytest.raises(KeyError), config(check=True):
        raise KeyError
    assert not config.check


def test_an_override_is_seen_by_its_own_thread_only(config: Config) -> None:
    seen: list[bool] = []
    with config(check=True):
        thread = threading.Thread(target=lambda: seen.append(config.check))
        thread.start()
        thread.join()
    assert seen == [False]


def test_overrides_of_asynchronous_tasks_do_not_mix(config: Config) -> None:
    async def task(level: str) -> list[str]:
        with config(log=level):
            await asyncio.sleep(0)
            first = config.log
            await asyncio.sleep(0)
            return [first, config.log]

    async def both() -> list[list[str]]:
        return await asyncio.gather(task("info"), task("debug"))

    assert asyncio.run(both()) == [["info", "info"], ["debug", "debug"]]


def test_misspelt_settings(config: Config) -> None:
    with pytest.raises(
        ConfigurationError, match=r"there is no setting `num_thread` \[MDH301\]\n  hint: did you mean `num_threads`\?"
    ):
        config(num_thread=2)
    with pytest.raises(ConfigurationError, match="hint: settings are tuning_overhead, num_threads"):
        config(xyz=2)
    with pytest.raises(AttributeError):
        config.num_thread = 2  # type: ignore[attr-defined]


def test_home_is_expanded(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/nowhere")
    config.cache_dir = Path("~/cache")
    assert config.cache_dir == Path("/nowhere/cache")


def test_repr_shows_everything(config: Config) -> None:
    config.num_threads = 2
    text = repr(config)
    assert text.startswith(
        "config(tuning_overhead=0.05, num_threads=2, cache=True, cache_dir=None, cache_size=536870912"
    )


def test_every_setting_says_what_it_means() -> None:
    for name, setting in Config.table().items():
        assert setting.name == name and setting.meaning and setting.expected
