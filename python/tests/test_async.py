"""Prompts that are awaited."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from packer import AsyncPacker, Closed, Prompt, RoleError, TimedOut

from .conftest import report

posix = pytest.mark.skipif(os.name == "nt", reason="sends signals")
TASK: dict[str, Any] = {"role": "implementer", "task": "Greet in capital letters"}


def test_two_hundred_prompts_over_five_repositories(repos: list[Path]) -> None:
    words = ["--role", "implementer", "--target", "app/main.py"]

    async def build() -> list[Prompt]:
        async with AsyncPacker(processes=4) as packer:

            async def one(number: int) -> Prompt:
                prompt = await packer.prompt(
                    role="implementer",
                    task=f"Task {number % 10}",
                    targets=["app/main.py"],
                    repo=repos[number % 5],
                )
                assert len(packer.pids) <= 4
                pids.update(packer.pids)
                return prompt

            return await asyncio.gather(*map(one, range(200)))

    pids: set[int] = set()
    prompts = asyncio.run(build())
    # Every tenth and the ninth after it have the same task and repository.
    for number in range(10):
        task = ["--task", f"Task {number}"]
        expected = report("prompt", *words, *task, cwd=repos[number % 5])["prompt"]
        assert {prompt.text for prompt in prompts[number::10]} == {expected}
    # Each was kept from its first request to its last.
    assert 1 <= len(pids) <= 4


def test_errors_have_their_kinds(repo: Path) -> None:
    async def build() -> None:
        async with AsyncPacker(repo) as packer:
            with pytest.raises(RoleError, match="no role `implementor`"):
                await packer.prompt(role="implementor", task="Try")
            assert (await packer.render("implement.j2", **TASK)).report.template == "implement.j2"
            assert (await packer.pack(role="planner")).report.flow == "files"

    asyncio.run(build())


def test_a_cancelled_call_is_begun_or_finished_for_nobody(repo: Path) -> None:
    async def build() -> None:
        async with AsyncPacker(repo) as packer:
            calls = [
                asyncio.create_task(packer.prompt(role="planner", task=f"Task {number}"))
                for number in range(20)
            ]
            await calls[0]
            pids = packer.pids
            for call in calls[:-1]:
                call.cancel()
            # What is begun for nobody does not answer another's request.
            assert "Task 19" in (await calls[-1]).text
            assert "Task 20" in (await packer.prompt(role="planner", task="Task 20")).text
            assert packer.pids == pids
            assert all(call.cancelled() for call in calls[1:-1])

    asyncio.run(build())


@posix
def test_a_cancelled_call_returns_at_once(repo: Path) -> None:
    async def build() -> None:
        async with AsyncPacker(repo) as packer:
            await packer.prompt(**TASK)
            [pid] = packer.pids
            os.kill(pid, signal.SIGSTOP)
            since = time.monotonic()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(packer.prompt(**TASK), 0.3)
            assert time.monotonic() - since < 5
            os.kill(pid, signal.SIGCONT)
            await packer.prompt(**TASK)
            assert packer.pids == [pid]

    asyncio.run(build())


@posix
def test_a_killed_process_is_replaced_and_its_request_run_once_more(repo: Path) -> None:
    async def build() -> None:
        async with AsyncPacker(repo, processes=2) as packer:
            expected = (await packer.prompt(**TASK)).text
            [pid] = packer.pids
            os.kill(pid, signal.SIGSTOP)
            call = asyncio.create_task(packer.prompt(**TASK))
            await asyncio.sleep(0.3)
            assert not call.done()
            os.kill(pid, signal.SIGKILL)
            assert (await call).text == expected
            assert pid not in packer.pids

    asyncio.run(build())


@posix
def test_killing_all_again_and_again_loses_no_prompt(repos: list[Path]) -> None:
    async def build() -> None:
        async with AsyncPacker(processes=2) as packer:
            calls = [
                asyncio.create_task(
                    packer.prompt(role="planner", task=f"Task {number}", repo=repos[number % 5])
                )
                for number in range(60)
            ]
            for _ in range(3):
                # So far apart that no request dies twice.
                await asyncio.wait(calls, timeout=3, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.sleep(1)
                for pid in packer.pids:
                    os.kill(pid, signal.SIGKILL)
            prompts = await asyncio.gather(*calls)
            for number, prompt in enumerate(prompts):
                assert f"Task {number}" in prompt.text

    asyncio.run(build())


@posix
def test_a_process_that_never_answers_is_ended(repo: Path) -> None:
    async def build() -> None:
        async with AsyncPacker(repo, timeout=0.5) as packer:
            expected = (await packer.prompt(**TASK, timeout=60)).text
            [pid] = packer.pids
            os.kill(pid, signal.SIGSTOP)
            calls = [packer.prompt(**TASK), packer.prompt(**TASK, timeout=60)]
            late, next_one = await asyncio.gather(*calls, return_exceptions=True)
            assert isinstance(late, TimedOut)
            assert isinstance(next_one, Prompt) and next_one.text == expected
            assert pid not in packer.pids

    asyncio.run(build())


def test_a_packer_outlives_its_loop(repo: Path) -> None:
    packer = AsyncPacker(repo)
    texts = [asyncio.run(packer.prompt(**TASK)).text for _ in range(3)]
    assert len(set(texts)) == 1 and len(packer.pids) == 1
    asyncio.run(packer.aclose())
    assert packer.pids == []


@posix
def test_a_loop_that_is_closed_meanwhile_harms_nobody(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    packer = AsyncPacker(repo)
    asyncio.run(packer.prompt(**TASK))
    [pid] = packer.pids
    os.kill(pid, signal.SIGSTOP)
    loop = asyncio.new_event_loop()
    call = loop.create_task(packer.prompt(**TASK))
    loop.run_until_complete(asyncio.sleep(0.2))
    assert not call.done()
    call.cancel()
    loop.run_until_complete(asyncio.gather(call, return_exceptions=True))
    loop.close()
    os.kill(pid, signal.SIGCONT)
    # The answer for the closed loop comes first.
    asyncio.run(packer.prompt(**TASK))
    assert packer.pids == [pid]
    asyncio.run(packer.aclose())
    assert failures == []


@posix
def test_closing_ends_what_is_awaited(repo: Path) -> None:
    async def build() -> None:
        packer = AsyncPacker(repo)
        await packer.prompt(**TASK)
        os.kill(packer.pids[0], signal.SIGSTOP)
        calls = [asyncio.create_task(packer.prompt(**TASK)) for _ in range(3)]
        await asyncio.sleep(0.2)
        await packer.aclose()
        for call in calls:
            with pytest.raises(Closed):
                await call
        with pytest.raises(Closed):
            await packer.prompt(**TASK)

    asyncio.run(build())


def test_the_loop_goes_on_while_prompts_are_built(repos: list[Path]) -> None:
    async def build() -> None:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.001)
                ticks += 1

        ticking = asyncio.create_task(tick())
        async with AsyncPacker(processes=2) as packer:
            await asyncio.gather(*(packer.prompt(**TASK, repo=repo) for repo in repos))
        ticking.cancel()
        assert ticks > 5

    asyncio.run(build())
