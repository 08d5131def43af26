from __future__ import annotations

import logging

import pytest

from jitmdh.base.log import logger
from jitmdh.base.settings import config


def test_silent_by_default(capfd: pytest.CaptureFixture[str]) -> None:
    logger().error("nobody asked")
    assert capfd.readouterr() == ("", "")


def test_the_setting_writes_to_standard_error_from_its_level_on(capsys: pytest.CaptureFixture[str]) -> None:
    with config(log="info"):
        logger().info("compiled %s", "matvec")
        logger().debug("details")
    assert capsys.readouterr().err == "jitmdh: compiled matvec\n"
    logger().error("nobody asked")
    assert capsys.readouterr().err == ""


def test_an_application_may_listen_instead(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="jitmdh"):
        logger().info("compiled")
    assert caplog.messages == ["compiled"]
