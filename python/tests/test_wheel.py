"""The wheel has what it has to have, and is what is tested."""

from __future__ import annotations

import subprocess
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

import packer

PROJECT = Path(__file__).parents[1]
WHEEL = distribution("context-packer")


def test_the_installed_package_is_the_one_that_is_tested() -> None:
    sources = PROJECT / "src" / "packer"
    installed = Path(packer.__file__).parent
    assert installed != sources
    for path in sources.glob("*.py"):
        assert (installed / path.name).read_text("utf-8") == path.read_text("utf-8")
    assert (installed / "py.typed").exists()


def test_the_command_is_that_of_the_wheel_and_has_its_version() -> None:
    found = Path(packer.find_command())
    assert found.parent == Path(sysconfig.get_path("scripts"))
    assert found.resolve() in [Path(str(path.locate())).resolve() for path in WHEEL.files or []]
    told = subprocess.run([found, "--version"], capture_output=True, check=True, text=True)
    assert told.stdout == f"packer {WHEEL.version}\n"


def test_nothing_else_is_installed_with_it() -> None:
    assert not WHEEL.requires


def test_the_licence_comes_with_it() -> None:
    [licence] = [path for path in WHEEL.files or [] if path.name == "LICENSE"]
    assert licence.read_text("utf-8") == (PROJECT.parent / "LICENSE").read_text("utf-8")
