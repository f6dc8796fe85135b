"""The command: where it is, and one run of it."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Iterator, Sequence

from .errors import CommandError, TimedOut

LOGGER = logging.getLogger("packer")

# Programs without a window of their own would open one for each process.
HIDDEN: dict[str, Any] = {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0)}


def find() -> str:
    """The path of the command: that of this package's wheel, else the one on the `PATH`."""
    name = "packer" + (sysconfig.get_config_var("EXE") or "")
    for folder in _folders():
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    found = shutil.which("packer")
    if found is None:
        raise CommandError(
            "there is no command `packer`, neither beside this package nor on the PATH",
            help="pip install --force-reinstall context-packer",
        )
    return found


def _folders() -> Iterator[str]:
    """Where an installer puts commands: of an environment, of a user, of a folder."""
    packages = Path(__file__).resolve().parents[1]
    # `pip install --target` has them beside the packages…
    yield str(packages / "bin")
    # …and everything else in the folder that has `lib/python3.x/site-packages`.
    if packages.name in ("site-packages", "dist-packages"):
        scripts = "Scripts" if os.name == "nt" else "bin"
        yield from (str(folder / scripts) for folder in list(packages.parents)[1:3])
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", _user_scheme())


def _user_scheme() -> str:
    if sys.version_info >= (3, 10):
        return sysconfig.get_preferred_scheme("user")
    return "nt_user" if os.name == "nt" else "posix_user"


def run(
    arguments: Sequence[str],
    *,
    input: str = "",
    folder: str | None = None,
    timeout: float | None = 60,
) -> str:
    """What a run of the command prints. Its warnings are logged."""
    command = [find(), *arguments]
    try:
        given = input.encode()
    except UnicodeEncodeError as error:
        raise CommandError(f"a text is no valid Unicode: {error}") from error
    try:
        done = subprocess.run(
            command, cwd=folder, input=given, capture_output=True, timeout=timeout, **HIDDEN
        )
    except subprocess.TimeoutExpired as error:
        raise TimedOut(f"`packer {arguments[0]}` gave no answer in {timeout} s") from error
    except (OSError, ValueError) as error:
        raise CommandError(f"`packer {arguments[0]}` cannot be started: {error}") from error
    told = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0:
        raise failed(told, f"`packer {arguments[0]}` ended with {done.returncode}")
    for warning in re.findall(r"^warning: (.*)$", told, re.MULTILINE):
        LOGGER.warning("%s", warning)
    return done.stdout.decode("utf-8", "replace")


def failed(told: str, otherwise: str, kind: type[CommandError] = CommandError) -> CommandError:
    """The error of a run, from what it said on standard error."""
    found = re.search(r"^error: (.*)(?:\n+help: (.*))?", told, re.MULTILINE)
    if found:
        return kind(found[1], help=found[2])
    return kind(f"{otherwise}: {told.strip()}" if told.strip() else otherwise)
