"""The types say what the schemas of the command say."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import packer
from packer import errors, types

GENERATE = Path(__file__).parents[1] / "generate.py"


def test_types_and_calls_are_those_of_the_schemas() -> None:
    check = [sys.executable, str(GENERATE), "--check", packer.find_command()]
    subprocess.run(check, check=True)


def test_every_kind_of_failure_has_its_error() -> None:
    assert list(errors.KINDS) == list(get_args(types.FailureKind))
    assert len(set(errors.KINDS.values())) == len(errors.KINDS)


def test_an_answer_of_a_newer_command_is_understood() -> None:
    failure = types.Failure.read({"kind": "weather", "message": "It rains.", "more": 1})
    assert type(errors.of(failure)) is packer.PackerError


def test_both_packers_have_the_same_calls_with_the_same_words() -> None:
    for name in ["build", "render", "prompt", "pack"]:
        ours: Any = getattr(packer.Packer, name)
        theirs: Any = getattr(packer.AsyncPacker, name)
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert inspect.getdoc(ours) == inspect.getdoc(theirs)
        assert inspect.iscoroutinefunction(theirs) and not inspect.iscoroutinefunction(ours)


def test_everything_public_is_exported_and_says_what_it_is() -> None:
    for name in packer.__all__:
        value: Any = getattr(packer, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
