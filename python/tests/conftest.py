"""Repositories to build prompts from, and the command itself to compare with."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest

import packer

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A. Tester",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A. Tester",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, env={**os.environ, **GIT})


def make(root: Path, word: str = "Hello") -> Path:
    """A repository with two modules that know each other, and conventions."""
    (root / "app").mkdir(parents=True)
    files = {
        "app/greet.py": f'def greet(name: str) -> str:\n    return f"{word}, {{name}} ÷ \\u2028"\n',
        "app/main.py": 'from app.greet import greet\n\n\ndef main() -> None:\n    print(greet("world"))\n',
        "AGENTS.md": f"Every public function has a test. {word}!\n",
        "TASKS.md": "# Tasks\n\n- [ ] Greet people by name\n",
        ".context/CONSTITUTION.md": "# Constitution\n\n- A greeting never shouts.\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message=Greet")
    return root


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither roles nor caches of whoever runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make(tmp_path / "repo")


@pytest.fixture
def repos(tmp_path: Path) -> list[Path]:
    """Five repositories, each with words of its own."""
    return [
        make(tmp_path / f"repo-{word}", word) for word in ["Hi", "Hey", "Moin", "Salut", "Ciao"]
    ]


@pytest.fixture
def calm(repo: Path) -> Iterator[packer.Packer]:
    """A packer of that repository that ends with the test."""
    with packer.Packer(repo) as made:
        yield made


def command(*arguments: str, cwd: Path) -> bytes:
    """What the command prints."""
    ran = subprocess.run(
        [packer.find_command(), *arguments], cwd=cwd, check=True, capture_output=True
    )
    return ran.stdout


def report(*arguments: str, cwd: Path) -> Any:
    """The report that the command prints."""
    return json.loads(command(*arguments, "--format", "json", cwd=cwd))
