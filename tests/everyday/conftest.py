"""Tests of this folder ask for the same object code again and again."""

from tests.compiled_once import each_text_compiled_once

__all__ = ["each_text_compiled_once"]
