"""Prompts that are waited for."""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from packer import (
    Closed,
    CommandError,
    Packer,
    ProcessError,
    Prompt,
    RepositoryError,
    RequestError,
    RoleError,
    TemplateError,
    TimedOut,
    find_command,
)

from .conftest import command, git, report

posix = pytest.mark.skipif(os.name == "nt", reason="sends signals")
TASK: dict[str, Any] = {"role": "implementer", "task": "Greet in capital letters"}


def test_a_prompt_is_that_of_the_command_byte_for_byte(repo: Path, calm: Packer) -> None:
    task = "Grüße „laut“\n\n\\ \x1b 🎈\u2028"
    words = ["--role", "implementer", "--task", task, "--target", "app/main.py"]
    made = calm.render("implement.j2", role="implementer", task=task, targets=["app/main.py"])
    assert printed(made) == command("render", "implement.j2", *words, cwd=repo)
    made = calm.prompt(
        role="implementer", task=task, targets="app/main.py", style="xml", budget=3000
    )
    more = ["--style", "xml", "--budget", "3000"]
    assert printed(made) == command("prompt", *words, *more, cwd=repo)
    made = calm.pack(role="reviewer", targets=[Path("app/main.py")], tokenizer="o200k")
    words = ["--role", "reviewer", "--target", "app/main.py", "--tokenizer", "o200k"]
    assert printed(made) == command("pack", *words, cwd=repo)


def test_templates_and_defaults_of_the_repository_are_those_of_the_command(repo: Path) -> None:
    (repo / ".packer/templates").mkdir(parents=True)
    (repo / ".packer/templates/own.j2").write_text("OWN {{ task }}", encoding="utf-8")
    (repo / ".packer/config.toml").write_text("budget = 1234\n", encoding="utf-8")
    asked = ["trust", "--format", "json"]
    told = subprocess.run([find_command(), *asked], cwd=repo, capture_output=True, check=False)
    trusted = json.loads(told.stdout)["hash"]
    with Packer(repo) as packer, pytest.raises(TemplateError, match="packer trust"):
        packer.render("own.j2", **TASK)
    with Packer(repo, trust_hashes=[trusted]) as packer:
        made = packer.render("own.j2", **TASK)
    assert made.text == "OWN Greet in capital letters"
    assert made.report.budget == 1234
    with Packer(repo, config=False) as packer:
        assert packer.prompt(**TASK).report.budget == 25000


def printed(prompt: Prompt) -> bytes:
    """A prompt as the command prints it: nothing is added that was not counted."""
    return prompt.text.encode()


def test_the_report_has_all_that_the_command_says(repo: Path, calm: Packer) -> None:
    target = ["--target", "app/main.py", "--target", "app/gret.py"]
    told = report("prompt", "--role", "planner", "--task", "Split", *target, cwd=repo)
    made = calm.prompt(role="planner", task="Split", targets=["app/main.py", "app/gret.py"])
    of_messages = {"messages": None, "shown": None}  # nobody asked for them
    assert json.loads(json.dumps(dataclasses.asdict(made.report))) == {**told, **of_messages}
    assert (made.text, str(made)) == (told["prompt"], told["prompt"])
    assert [warning.message for warning in made.warnings] == [told["warnings"][0]["message"]]
    assert made.warnings[0].kind == "unreadable"


def test_what_did_not_fit_is_told(calm: Packer) -> None:
    long = "\n".join(f"line {number}" for number in range(5000))
    made = calm.prompt(**TASK, targets=["app/main.py"], extra={"log": long}, budget=2000)
    assert "log" in made.cut
    assert "target_file" not in made.cut
    assert made.report.tokens <= made.report.budget == 2000


def test_what_is_no_text_is_written_as_json(calm: Packer) -> None:
    made = calm.prompt(**TASK, extra={"plan": {"steps": [1, 2]}})
    assert '"steps"' in made.text


def test_a_role_may_be_an_object_or_a_path(repo: Path, calm: Packer) -> None:
    role: dict[str, Any] = {
        "name": "small",
        "description": "A role.",
        "system_prompt": "You are small.",
        "context": {"include": ["app/*.py"]},
    }
    assert "You are small." in calm.prompt(role=role, task="Try").text
    # YAML is a superset of JSON.
    (repo / "small.yaml").write_text(json.dumps(role), encoding="utf-8")
    made = calm.prompt(role=repo / "small.yaml", task="Try")
    assert made.report.role.source.endswith("small.yaml")


def test_what_changes_on_disk_is_in_the_next_prompt(repo: Path, calm: Packer) -> None:
    for word in ["Good morning", "Good evening"]:
        (repo / "app/greet.py").write_text(f"WORD = '{word}'\n", encoding="utf-8")
        git(repo, "add", ".")
        assert word in calm.prompt(role="reviewer", task="Review").text


def test_one_process_serves_call_after_call(repos: list[Path], calm: Packer) -> None:
    assert calm.pids == []
    for repo in [*repos, *repos]:
        calm.pack(role="planner", repo=repo)
    assert len(calm.pids) == 1


def test_a_relative_repository_is_that_of_the_caller(
    repos: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repos[0])
    with Packer() as packer:
        assert "Hi!" in packer.pack(role="implementer").text
        monkeypatch.chdir(repos[1].parent)
        assert "Hey!" in packer.pack(role="implementer", repo="repo-Hey").text
        # Without one it stays what it was.
        assert "Hi!" in packer.pack(role="implementer").text


def test_threads_share_a_packer(repos: list[Path]) -> None:
    with Packer(processes=3) as packer, ThreadPoolExecutor(20) as threads:

        def text(repo: Path) -> str:
            return packer.prompt(**TASK, repo=repo).text

        texts = list(threads.map(text, repos * 8))
        assert texts == [text(repo) for repo in repos] * 8
        assert len(packer.pids) == 3


def test_mistakes_have_kinds_help_and_places(repo: Path, calm: Packer) -> None:
    with pytest.raises(RoleError, match="no role `implementor`") as error:
        calm.prompt(role="implementor", task="Try")
    assert error.value.help == "did you mean `implementer`?"
    assert str(error.value).endswith("\nhelp: did you mean `implementer`?")
    with pytest.raises(TemplateError) as error:
        calm.render("implemnt.j2", **TASK)
    assert error.value.help == "did you mean `implement.j2`?"
    with pytest.raises(RequestError, match="leads out of the repository"):
        calm.prompt(**TASK, targets=["../greet.py"])
    with pytest.raises(RequestError, match="no such file, did you mean `app/greet.py`"):
        calm.prompt(**TASK, targets=["app/gret.py"], strict=True)
    with pytest.raises(RepositoryError):
        calm.prompt(**TASK, repo=repo / "nowhere")
    with pytest.raises(RequestError, match="unknown field `taks`"):
        calm.build({"role": "planner", "taks": "Try"})  # type: ignore[typeddict-unknown-key]
    (repo / "bad.yaml").write_text("name: bad\ndescription: d\nsystem_promt: s\n", encoding="utf-8")
    with pytest.raises(RoleError) as error:
        calm.prompt(role=repo / "bad.yaml", task="Try")
    assert error.value.place and (error.value.place.line, error.value.place.column) == (3, 1)
    assert "bad.yaml:3:1: " in str(error.value)


@pytest.mark.parametrize("value", [float("nan"), object(), {1, 2}])
def test_what_is_no_json_is_refused(calm: Packer, value: object) -> None:
    with pytest.raises(RequestError, match="cannot be written as JSON"):
        calm.prompt(**TASK, extra={"key": value})


def test_text_that_is_no_unicode_is_refused(calm: Packer) -> None:
    with pytest.raises(RequestError):
        calm.prompt(role="planner", task="\udc80")


@posix
def test_a_process_that_was_killed_while_idle_is_replaced(calm: Packer) -> None:
    text = calm.prompt(**TASK).text
    [pid] = calm.pids
    os.kill(pid, signal.SIGKILL)
    assert calm.prompt(**TASK).text == text
    assert calm.pids != [pid]


@posix
def test_a_process_that_never_answers_is_ended(calm: Packer) -> None:
    text = calm.prompt(**TASK).text
    [pid] = calm.pids
    os.kill(pid, signal.SIGSTOP)
    # More than a pipe holds, so that writing the request does not end either.
    with pytest.raises(TimedOut, match=r"no answer in 0\.5 s") as error:
        calm.prompt(**TASK, extra={"log": "x" * 1_000_000}, timeout=0.5)
    assert isinstance(error.value, TimeoutError)
    assert calm.prompt(**TASK).text == text
    assert calm.pids != [pid]


@posix
def test_a_request_that_kills_twice_fails(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    body = f"open({str(runs)!r}, 'a').write('x')\nsys.stdin.readline()\nsys.exit('error: no more\\nhelp: wait')"
    with Packer(command=script(tmp_path, body)) as packer:
        with pytest.raises(ProcessError, match="no more") as error:
            packer.prompt(**TASK)
        assert error.value.help == "wait"
        assert runs.read_text() == "xx"


@posix
def test_an_answer_that_is_none_is_an_error(tmp_path: Path) -> None:
    for answer in ["Usage: packer", "{}", "[]"]:
        body = f"sys.stdin.readline()\nprint({answer!r}, flush=True)"
        with Packer(command=script(tmp_path, body)) as packer:
            with pytest.raises(CommandError, match="not one of `packer batch`"):
                packer.prompt(**TASK)


def script(folder: Path, body: str) -> Path:
    """A program in place of the command."""
    path = folder / "fake"
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_a_command_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with Packer(command=tmp_path / "packer") as packer:
        with pytest.raises(CommandError, match="cannot be started"):
            packer.prompt(**TASK)


def test_a_closed_packer_says_so(repo: Path) -> None:
    packer = Packer(repo)
    packer.prompt(**TASK)
    packer.close()
    assert packer.pids == []
    with pytest.raises(Closed):
        packer.prompt(**TASK)
    packer.close()


@posix
def test_closing_ends_what_is_being_built(repo: Path) -> None:
    packer = Packer(repo)
    packer.prompt(**TASK)
    os.kill(packer.pids[0], signal.SIGSTOP)
    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(lambda: packer.prompt(**TASK)) for _ in range(2)]
        time.sleep(0.2)
        packer.close()
        for call in calls:
            with pytest.raises(Closed):
                call.result(10)


def test_a_packer_that_is_forgotten_ends_its_processes(repo: Path) -> None:
    packer = Packer(repo)
    packer.prompt(**TASK)
    threads = [thread for thread in threading.enumerate() if thread.name == "packer"]
    assert len(threads) == 1
    del packer
    gc.collect()
    threads[0].join(10)
    assert not threads[0].is_alive()


def test_a_program_that_closes_nothing_ends(repo: Path) -> None:
    program = (
        "from packer import Packer\n"
        "packer = Packer()\n"
        "print(packer.prompt(role='planner', task='Try').report.role.name)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=repo,
        capture_output=True,
        timeout=30,
        check=True,
    )
    assert (ran.stdout.split(), ran.stderr) == ([b"planner"], b"")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_starts_processes_of_its_own(calm: Packer) -> None:
    text = calm.prompt(**TASK).text
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if calm.prompt(**TASK).text == text else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert calm.prompt(**TASK).text == text


def test_no_processes_make_no_prompt() -> None:
    with pytest.raises(ValueError, match="1 or more"):
        Packer(processes=0)


def test_a_prompt_goes_on_from_another_as_messages(repo: Path, calm: Packer) -> None:
    first = calm.render("planning.j2", role="planner", task="Plan", role_last=True, cache_points=4)
    second = calm.render(
        "implement.j2", role="implementer", task="Do", since=first, cache_points=4
    )
    assert [message["role"] for message in second.messages] == ["system", "user"]
    context, _, _ = first.text.partition("\n# Your role")
    assert len(os.path.commonprefix([first.text, second.text])) > len(context) // 2
    assert second.messages[0] == first.messages[0]
    plain = calm.render("implement.j2", role="implementer", task="Do")
    assert plain.messages == [{"role": "user", "content": [{"type": "text", "text": plain.text}]}]
