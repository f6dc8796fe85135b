"""Prompts from processes that are kept open."""

from __future__ import annotations

import asyncio
import json
import os
import weakref
from concurrent.futures import Future
from types import TracebackType
from typing import Iterable

from . import errors
from ._calls import AsyncCalls, Calls
from ._command import find
from ._pool import Job, Pool
from ._request import StrPath, line, listed
from .prompt import Prompt
from .types import Failure, Report, Request

TIMEOUT = 60.0


class _Packer:
    """What both kinds of packers have.

    Paths of roles that are texts are relative to the folder in which the packer was made, all
    others to that of the call.
    """

    def __init__(
        self,
        repo: StrPath | None = None,
        *,
        processes: int = 1,
        timeout: float | None = TIMEOUT,
        roles_dirs: StrPath | Iterable[StrPath] = (),
        prompts_dir: StrPath | None = None,
        allow_templates: str | Iterable[str] = (),
        trust_hashes: str | Iterable[str] = (),
        config: bool = True,
        cache: bool = True,
        command: StrPath | None = None,
    ) -> None:
        """Starts nothing yet: a process is started when there is something to do for it.

        Args:
            repo: The repository, unless a call names another. Without it, the nearest folder
                upwards that has `.git`, else the current one.
            processes: How many prompts are built at the same time, at most. Each process keeps
                what it knows of the four repositories that it was asked about last.
            timeout: The seconds that a process may take for one answer; `None` for any time.
                One that takes longer is ended. Waiting for a free process does not count.
            roles_dirs: Where roles are looked for first.
            prompts_dir: Where templates are taken from: the shipped names, and those allowed.
            allow_templates: Templates of `prompts_dir` beyond the shipped names.
            trust_hashes: Hashes by which templates of repositories are trusted, beside what
                `packer trust` recorded on this machine.
            config: Whether defaults of `config.toml` count, the repository's and the user's.
            cache: Whether what is found out about repositories is kept on disk.
            command: The command, in place of the one that came with this package.
        """
        if processes < 1:
            raise ValueError("`processes` has to be 1 or more")
        _check(timeout)
        self._repo = None if repo is None else os.path.abspath(repo)
        self._timeout = timeout
        batch = [os.fspath(command) if command is not None else find(), "batch"]
        for folder in listed(roles_dirs):
            batch += ["--roles-dir", os.path.abspath(folder)]
        if prompts_dir is not None:
            batch += ["--prompts-dir", os.path.abspath(prompts_dir)]
        for name in listed(allow_templates):
            batch += ["--allow-template", name]
        for trusted in listed(trust_hashes):
            batch += ["--trust-hash", trusted]
        if not config:
            batch.append("--no-config")
        if not cache:
            batch.append("--no-cache")
        self._pool = Pool(batch, os.getcwd(), processes, _decode)
        self._finalizer = weakref.finalize(self, self._pool.close, wait=False)

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that are alive."""
        return self._pool.pids

    def _submit(self, request: Request, timeout: float | None) -> Future[Prompt]:
        asked = line(request, self._repo)
        repo = request.get("repo")
        root = self._repo if repo is None else os.path.abspath(repo)
        _check(timeout)
        limit = self._timeout if timeout is None else timeout
        return self._pool.submit(Job(asked, root, limit))


def _check(timeout: float | None) -> None:
    if timeout is not None and timeout <= 0:
        raise ValueError("`timeout` has to be more than 0, or `None` for any time")


def _decode(answer: bytes) -> Prompt:
    """The prompt that an answer has, or the error that it tells."""
    try:
        data = json.loads(answer)
        failure = Failure.read(data["error"]) if "error" in data else None
        prompt = None if failure else Prompt(Report.read(data))
    except (ValueError, KeyError, TypeError) as error:
        raise errors.CommandError(
            f"the answer is not one of `packer batch`: {error!r}",
            help="the command has to be of this package's version",
        ) from error
    if prompt is None:
        assert failure
        raise errors.of(failure)
    return prompt


class Packer(_Packer, Calls):
    """Builds prompts, one call after the other; safe to use from several threads.

        with Packer("path/to/repository") as packer:
            prompt = packer.render("implement.j2", role="implementer", task="…", targets=["a.py"])
            print(prompt.text)

    Its processes end with it, with the `with` block or with the program.
    """

    def build(self, request: Request, *, timeout: float | None = None) -> Prompt:
        future = self._submit(request, timeout)
        try:
            return future.result()
        except BaseException:
            # An interrupt: what has not begun need not.
            future.cancel()
            raise

    def close(self) -> None:
        """Ends the processes. Calls in other threads that have no answer yet raise `Closed`."""
        self._pool.close(wait=True)

    def __enter__(self) -> Packer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncPacker(_Packer, AsyncCalls):
    """Builds prompts for coroutines, as many at the same time as it has processes.

        async with AsyncPacker("path/to/repository", processes=4) as packer:
            prompts = await asyncio.gather(*(packer.prompt(role="planner", task=t) for t in tasks))

    It belongs to no event loop: the same packer may be used in one after the other. A call that
    is cancelled is not begun if it still waits; one that was begun is finished for nobody.
    """

    async def build(self, request: Request, *, timeout: float | None = None) -> Prompt:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not answered.done():
                answered.set_result(None)

        def tell(_: Future[Prompt]) -> None:
            try:
                loop.call_soon_threadsafe(wake)
            except RuntimeError:
                pass  # The loop is closed, and nobody waits in it any more.

        future = self._submit(request, timeout)
        future.add_done_callback(tell)
        try:
            await answered
        except BaseException:
            future.cancel()
            raise
        return future.result()

    async def aclose(self) -> None:
        """Ends the processes. Calls that have no answer yet raise `Closed`."""
        await asyncio.get_running_loop().run_in_executor(None, lambda: self._pool.close(wait=True))

    async def __aenter__(self) -> AsyncPacker:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
