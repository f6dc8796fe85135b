"""Requests as `packer batch` reads them."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Union, cast

from .errors import RequestError
from .prompt import Prompt
from .types import Request

StrPath = Union[str, "os.PathLike[str]"]


def request(**fields: Any) -> Request:
    """A request of a call's arguments. What is `None` is left out."""
    given = {name: value for name, value in fields.items() if value is not None}
    if "target" in given:
        given["target"] = listed(given["target"])
    for name in ["role", "repo"]:
        if isinstance(given.get(name), os.PathLike):
            # A name of a role is no path, but a path is one even without a slash.
            given[name] = os.path.abspath(given[name])
    since = given.get("since")
    if isinstance(since, Prompt):
        given["since"] = {"shown": since.report.shown, "prompt": since.text}
    return cast(Request, given)


def line(request: Request, repo: str | None) -> bytes:
    """A request as a line, with the repository that it is about as an absolute path."""
    named = request.get("repo")
    # The process has a current folder of its own.
    root = repo if named is None else os.path.abspath(named)
    fields = {**request, "repo": root} if root is not None else request
    try:
        return json.dumps(fields, allow_nan=False).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise RequestError(f"the request cannot be written as JSON: {error}") from error


def listed(given: StrPath | Iterable[StrPath]) -> list[str]:
    """One path or name, or several; a text is one, and not as many as it has letters."""
    several = [given] if isinstance(given, (str, os.PathLike)) else given
    return [os.fspath(one) for one in several]
