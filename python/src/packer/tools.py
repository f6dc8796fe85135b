"""The tools beside prompts: guarded reading, `.context/`, ready contexts, budgets.

Each call is a run of the command, which takes some milliseconds; `asyncio.to_thread` makes it
one to await. What the command warns of is logged to the logger `packer`. Paths are relative to
the folder that is named: `repo`, or `dir`.
"""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Literal, Mapping, Union

from ._command import run
from ._request import StrPath, listed
from .types import Tokenizer

ReadStyle = Literal["xml", "assign", "markdown", "json"]
"""How read files are written."""


Json = Union[str, Mapping[str, Any]]


def read_files(
    files: StrPath | Iterable[StrPath],
    *,
    include: StrPath | Iterable[StrPath] | None = (),
    filter: str | None = None,
    max_files: int | None = None,
    max_file_size: int | None = None,
    dir: StrPath = ".",
    style: ReadStyle = "xml",
) -> str:
    """Reads files that a model asked for, under guards, as `packer read` does.

    What is returned has no line break at its end, which is only printed.

    Args:
        files: What the model asked for: read only in `dir`, only what passes all guards.
        include: What you ask for: read first, wherever it lies.
        filter: Names to read only, as globs with commas between.
        max_files: The files at most, included ones counted.
        max_file_size: The bytes that a file may have.
        dir: What may be read. Written paths are relative to it, too.
        style: How the files are written.
    """
    arguments = ["read", "--style", style]
    arguments += _given("--filter", filter) + _given("--max-files", max_files)
    arguments += _given("--max-file-size", max_file_size) + ["--dir", "."]
    arguments += [f"--include={path}" for path in listed(include or ())]
    printed = run([*arguments, "--", *listed(files)], folder=os.fspath(dir))
    return printed[:-1] if printed.endswith("\n") else printed


def load_context(
    dir: StrPath = ".",
    *,
    context_dir: str | None = None,
    budget: int | None = None,
    priority: str | Iterable[str] = (),
    cache: bool = False,
) -> dict[str, Any]:
    """Loads the `.context` directory, as `packer context --format json` does.

    The result has `files`, `summary`, `token_count`, `truncated`, `missing` and `warnings`.

    Args:
        dir: Where the search starts; it goes on in the folders above.
        context_dir: The directory's name, in place of `.context`.
        budget: The tokens of the summary.
        priority: Files that matter most, the first one most.
        cache: Whether what was parsed is kept on disk.
    """
    arguments = ["context", "--format", "json"]
    arguments += _given("--context-dir", context_dir) + _given("--budget", budget)
    arguments += _given("--priority", ",".join(listed(priority)) or None)
    arguments += ["--cache"] if cache else []
    return json.loads(run(arguments, folder=os.fspath(dir)))


def has_context(dir: StrPath = ".", *, context_dir: str = ".context") -> bool:
    """Whether there is such a directory with files in it, here or above; see `load_context`."""
    return bool(load_context(dir, context_dir=context_dir)["files"])


def build_implementation_context(
    task_file: StrPath,
    *,
    repo: StrPath = ".",
    conventions: StrPath | None = None,
    budget: int | None = None,
) -> dict[str, Any]:
    """For a worker that writes code: `tasks`, `conventions`, `branch`, `recent_commits`."""
    arguments = [f"--task-file={os.fspath(task_file)}", *_given("--conventions", conventions)]
    return _build("implementation", arguments, repo, budget)


def build_review_context(
    base: str,
    *,
    repo: StrPath = ".",
    worktree: bool = False,
    conventions: StrPath | None = None,
    context_lines: int | None = None,
    budget: int | None = None,
) -> dict[str, Any]:
    """For a worker that reviews a branch: `diff`, `changed_files`, `conventions`, `stats`.

    Args:
        base: The branch, tag or commit that HEAD is compared with, from where they parted.
        worktree: Whether the files on disk are compared, in place of the last commit.
        context_lines: The lines of a larger file on both sides of each change.
    """
    arguments = [
        f"--base={base}",
        *_given("--conventions", conventions),
        *_given("--context-lines", context_lines),
        *(["--worktree"] if worktree else []),
    ]
    return _build("review", arguments, repo, budget)


def build_fix_context(
    errors: Json,
    files: StrPath | Iterable[StrPath] = (),
    *,
    repo: StrPath = ".",
    context_lines: int | None = None,
    max_lines: int | None = None,
    budget: int | None = None,
) -> dict[str, Any]:
    """For a worker that mends errors: `errors`, `source_files`, `error_summary`.

    Args:
        errors: What the checks printed: `{"stages": …}`, SARIF, JSON of cargo or
            eslint, or lines such as `src/a.c:3:9: error: …`.
        files: The files to mend, in place of those that the errors name.
        context_lines: The lines of a larger file on both sides of each error.
        max_lines: The lines up to which a file is whole.
    """
    arguments = [
        "--errors=-",
        *_given("--context-lines", context_lines),
        *_given("--max-lines", max_lines),
        "--",
        *listed(files),
    ]
    return _build("fix", arguments, repo, budget, errors)


def build_issue_context(
    issue: Json,
    *,
    repo: StrPath = ".",
    context_lines: int | None = None,
    max_related: int | None = None,
    budget: int | None = None,
) -> dict[str, Any]:
    """For a worker that takes up an issue: `issue`, `related_files`, `recent_changes`.

    Args:
        issue: The issue as `gh issue view --json` prints it.
        context_lines: The lines of a larger file on both sides of those that the issue names.
        max_related: The files at most that the issue names.
    """
    arguments = [
        "--issue=-",
        *_given("--context-lines", context_lines),
        *_given("--max-related", max_related),
    ]
    return _build("issue", arguments, repo, budget, issue)


def fit_to_budget(
    sections: Mapping[str, str],
    budget: int = 32_000,
    *,
    min_section_tokens: int = 100,
    tokenizer: Tokenizer = "chars",
) -> dict[str, Any]:
    """Makes texts fit a token budget, each in proportion to its size.

    The result has the same keys, and `_metadata` if something was cut.
    """
    arguments = ["fit", f"--budget={budget}", f"--min-section-tokens={min_section_tokens}"]
    return json.loads(run([*arguments, "--tokenizer", tokenizer], input=json.dumps(dict(sections))))


def truncate_file(
    content: str,
    max_lines: int,
    around_lines: Iterable[int] | None = None,
    *,
    context_lines: int = 10,
) -> str:
    """Cuts a text to the lines that matter: the first ones, or those around lines from 1.

    Lines that the text does not have are ignored.
    """
    arguments = [
        "truncate",
        "-",
        f"--max-lines={max_lines}",
        f"--context-lines={context_lines}",
    ]
    around = ",".join(str(line) for line in around_lines or () if line > 0)
    return run([*arguments, *_given("--around", around or None)], input=_whole(content))


def estimate_tokens(text: str, tokenizer: Tokenizer | None = None) -> int:
    """The tokens of a text: characters ÷ 4, rounded down, or what a tokenizer counts.

    The tokenizer `chars`, by which budgets are kept, rounds up.
    """
    if tokenizer is None:
        return len(text) // 4
    arguments = ["tokens", "-", "--format", "json", "--tokenizer", tokenizer]
    return json.loads(run(arguments, input=_whole(text)))[0]["tokens"]


def _whole(text: str) -> str:
    """A text of which nothing is lost where a mark at its beginning is taken off."""
    return "\ufeff" + text if text.startswith("\ufeff") else text


def _build(
    kind: str, arguments: list[str], repo: StrPath, budget: int | None, input: Json = ""
) -> dict[str, Any]:
    given = input if isinstance(input, str) else json.dumps(input)
    limit = _given("--budget", budget)
    return json.loads(run(["build", kind, *limit, *arguments], input=given, folder=os.fspath(repo)))


def _given(option: str, value: object) -> list[str]:
    """An option with its value, if it has one: in one word, since a value may begin with `-`."""
    return [] if value is None else [f"{option}={value}"]
