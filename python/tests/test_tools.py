"""The tools beside prompts."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

import packer
from packer import CommandError

from .conftest import command, git


def test_files_are_read_under_guards(repo: Path, caplog: pytest.LogCaptureFixture) -> None:
    asked = ["app/greet.py", "../notes.md", "--help"]
    guards: Any = {"filter": "*.py,*.md", "max_files": 5, "max_file_size": 10_000}
    read = packer.read_files(asked, dir=repo, style="json", include=["TASKS.md"], **guards)
    files = json.loads(read)
    assert [file["path"] for file in files] == ["TASKS.md", "app/greet.py", "../notes.md"]
    assert "outside the allowed directory" in files[2]["error"]
    assert caplog.record_tuples == [
        ("packer", logging.WARNING, "`../notes.md` was not read: outside the allowed directory")
    ]
    options = ["--filter", "*.py,*.md", "--include", "TASKS.md"]
    printed = command("read", *options, "--", *asked, cwd=repo).decode()
    xml = packer.read_files(asked, dir=repo, filter="*.py,*.md", include=["TASKS.md"])
    assert xml + "\n" == printed
    assert packer.read_files([], dir=repo) == "<context>\n</context>"
    assert packer.read_files([], dir=repo, style="assign") == ""


def test_a_value_may_begin_like_an_option(repo: Path) -> None:
    (repo / "--help").write_text("# Tasks\n", encoding="utf-8")
    git(repo, "branch", "other")
    git(repo, "update-ref", "refs/heads/-x", "other")
    read: Any = {"dir": repo, "style": "json"}
    included = json.loads(packer.read_files([], include=["--help"], **read))
    assert [file["path"] for file in included] == ["--help"]
    filtered = json.loads(packer.read_files(["--help", "TASKS.md"], filter="-*", **read))
    assert [file["path"] for file in filtered] == ["--help"]
    made = packer.build_implementation_context("--help", repo=repo, conventions="--help")
    assert made["tasks"] == made["conventions"] == "# Tasks\n"
    assert packer.build_review_context("-x", repo=repo)["stats"]["files_changed"] == 0
    assert not packer.has_context(repo, context_dir="-memory")


def test_there_are_as_many_styles_as_the_command_has(repo: Path) -> None:
    told = command("read", "--help", cwd=repo).decode()
    styles = [
        line.split()[1].rstrip(":") for line in told.splitlines() if line.strip().startswith("- ")
    ]
    assert list(get_args(packer.ReadStyle)) == styles


def test_the_context_directory_is_loaded(repo: Path) -> None:
    loaded = packer.load_context(repo / "app", budget=2000, priority=["TASKS.md"])
    assert [file["name"] for file in loaded["files"]] == ["CONSTITUTION"]
    assert "A greeting never shouts." in loaded["summary"]
    assert packer.has_context(repo)
    assert not packer.has_context(repo, context_dir=".memory")


def test_the_four_builders_gather(repo: Path, tmp_path: Path) -> None:
    made = packer.build_implementation_context("TASKS.md", repo=repo, budget=500)
    assert "Greet people" in made["tasks"] and made["branch"] == "main"
    git(repo, "switch", "--quiet", "--create=polite")
    (repo / "app/greet.py").write_text("WORD = 'Good day'\n", encoding="utf-8")
    made = packer.build_review_context("main", repo=repo, worktree=True)
    assert "+WORD" in made["diff"] and list(made["changed_files"]) == ["app/greet.py"]
    error = {"file": "app/main.py", "line": 5, "message": "expected `str`"}
    stages = {"stages": [{"name": "types", "errors": [error]}]}
    for errors in [stages, json.dumps(stages)]:
        made = packer.build_fix_context(errors, ["app/greet.py"], repo=repo)
        assert made["error_summary"].startswith("1 error in 1 file")
        assert list(made["source_files"]) == ["app/greet.py"]
    issue = {"number": 1, "title": "Politeness", "body": "See `app/main.py`", "state": "OPEN"}
    made = packer.build_issue_context(issue, repo=repo)
    assert list(made["related_files"]) == ["app/main.py"]
    assert made["_metadata"]["truncated"] is False


def test_builders_show_as_much_as_they_are_told(repo: Path) -> None:
    numbered = [f"line {number}\n" for number in range(1, 601)]
    (repo / "long.py").write_text("".join(numbered), encoding="utf-8")
    git(repo, "add", ".")
    git(repo, "commit", "--quiet", "--message=Long")
    error = {"stages": [{"errors": [{"file": "long.py", "line": 300, "message": "no"}]}]}
    made = packer.build_fix_context(error, repo=repo, context_lines=1)
    assert "line 301\n" in made["source_files"]["long.py"]
    assert "line 302\n" not in made["source_files"]["long.py"]
    made = packer.build_fix_context(error, repo=repo, max_lines=600)
    assert made["source_files"]["long.py"] == "".join(numbered)
    issue = {"number": 1, "title": "", "body": "`app/main.py`, `long.py:300`", "state": "OPEN"}
    made = packer.build_issue_context(issue, repo=repo, max_related=1)
    assert list(made["related_files"]) == ["app/main.py"]
    made = packer.build_issue_context(issue, repo=repo, context_lines=0)
    assert "line 301\n" not in made["related_files"]["long.py"]
    (repo / "long.py").write_text("".join([*numbered[:300], "new\n", *numbered[300:]]))
    made = packer.build_review_context("HEAD", repo=repo, worktree=True, context_lines=2)
    assert "line 302\n" in made["changed_files"]["long.py"]
    assert "line 304\n" not in made["changed_files"]["long.py"]


def test_texts_are_made_to_fit() -> None:
    sections = {"a": "word\n" * 4000, "b": "kept"}
    fitted = packer.fit_to_budget(sections, 1000)
    assert fitted.pop("_metadata")["sections_affected"] == ["a"]
    assert list(fitted) == ["a", "b"] and fitted["b"] == "kept"
    assert sum(packer.estimate_tokens(text, "chars") for text in fitted.values()) <= 1000
    assert packer.fit_to_budget({"a": "x"}) == {"a": "x"}
    for call in [
        lambda: packer.fit_to_budget({"a": "x"}, -1),
        lambda: packer.truncate_file("a", -1),
    ]:
        with pytest.raises(packer.CommandError, match="invalid value '-1'"):
            call()
    numbered = "".join(f"{number}\n" for number in range(1, 101))
    cut = packer.truncate_file(numbered, 10, [50, 52])
    assert "50\n51\n52\n" in cut and "... [" in cut
    assert packer.truncate_file(numbered, 3).startswith("1\n2\n3\n...")
    outside = packer.truncate_file(numbered, 3, [-1, 0, 101])
    assert outside == packer.truncate_file(numbered, 3, None) == packer.truncate_file(numbered, 3)
    assert packer.estimate_tokens("ü" * 10) == 2
    assert packer.estimate_tokens("ü" * 10, "chars") == 3
    assert packer.estimate_tokens("hello world", "o200k") == 2


def test_a_text_keeps_the_mark_it_begins_with() -> None:
    for text in ["\ufeffa\nb\n", "\ufeff", "\ufeff\ufeffa"]:
        assert packer.truncate_file(text, 5) == text
    assert packer.truncate_file("\ufeffa\nb\n", 1).startswith("\ufeffa\n")
    assert packer.estimate_tokens("\ufeffabcd", "chars") == 2


def test_what_a_run_cannot_do_is_an_error(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="errors"):
        packer.build_fix_context("no errors at all", repo=repo)
    with pytest.raises(CommandError, match="cannot be started"):
        packer.load_context(tmp_path / "nowhere")
    with pytest.raises(CommandError, match="no valid Unicode"):
        packer.truncate_file("\udc80", 3)


def test_the_command_runs_as_a_module(repo: Path) -> None:
    module = [sys.executable, "-m", "packer"]
    ran = subprocess.run([*module, "--version"], capture_output=True, check=True)
    assert ran.stdout == command("--version", cwd=repo)
    assert subprocess.run([*module, "no-command"], capture_output=True).returncode == 2
