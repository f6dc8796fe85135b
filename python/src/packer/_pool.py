"""Several processes that answer requests, each kept warm."""

from __future__ import annotations

import os
import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Callable, Generic, Sequence, TypeVar

from ._process import Process
from .errors import Closed, ProcessError

Answer = TypeVar("Answer")

# The repositories of which a process keeps what it knows: those that it was asked about last.
KNOWN = 4

# How often a request may be passed over by one whose repository a process knows.
PATIENCE = 8


@dataclass(eq=False)
class Job(Generic[Answer]):
    """A request on its way."""

    line: bytes
    repo: str | None
    timeout: float | None
    future: Future[Answer] = field(default_factory=lambda: Future[Answer]())
    passed: int = 0


class Worker(Generic[Answer]):
    """A process, and the thread that waits for its answers."""

    def __init__(self, start: Callable[[], Process]) -> None:
        self._start = start
        self._process: Process | None = None
        self._known: deque[str | None] = deque(maxlen=KNOWN)
        self.inbox: SimpleQueue[Job[Answer] | None] = SimpleQueue()
        self.thread: threading.Thread | None = None
        self.is_closed = False

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process and process.is_alive else None

    @property
    def repositories(self) -> int:
        return len(self._known)

    def knows(self, job: Job[Answer]) -> bool:
        return job.repo in self._known

    def ask(self, job: Job[Answer]) -> bytes:
        """The answer to a request, which is run once more if the process dies of it."""
        try:
            return self._ask(job)
        except ProcessError:
            if self.is_closed:
                raise Closed("the packer was closed before the answer") from None
            return self._ask(job)

    def _ask(self, job: Job[Answer]) -> bytes:
        process = self._process
        if process is None or not process.is_alive:
            self.close()
            self._known.clear()
            process = self._process = self._start()
        if self.is_closed:
            raise Closed("the packer was closed before the answer")
        if job.repo in self._known:
            self._known.remove(job.repo)
        self._known.append(job.repo)
        return process.ask(job.line, job.timeout)

    def kill(self) -> None:
        """Ends the process, and with it what it is doing."""
        self.is_closed = True
        process = self._process
        if process:
            process.kill()

    def close(self) -> None:
        """Ends the process, which has nothing to do."""
        if self._process:
            self._process.close()
            self._process = None


class Pool(Generic[Answer]):
    """Hands out requests to workers.

    It waits in threads, so it belongs to no event loop and outlives them all.
    """

    def __init__(
        self, command: Sequence[str], folder: str, processes: int, decode: Callable[[bytes], Answer]
    ) -> None:
        self._command = command
        self._folder = folder
        self._most = processes
        self._decode = decode
        self._is_closed = False
        self._begin()

    def _begin(self) -> None:
        # What is forgotten without a caller may be collected anywhere, in here too.
        self._lock = threading.RLock()
        self._workers: list[Worker[Answer]] = []
        self._idle: list[Worker[Answer]] = []
        self._waiting: deque[Job[Answer]] = deque()
        self._owner = os.getpid()
        self._abandoned: list[Worker[Answer]] = []

    @property
    def pids(self) -> list[int]:
        """The processes that are alive."""
        return [pid for worker in list(self._workers) if (pid := worker.pid) is not None]

    def submit(self, job: Job[Answer]) -> Future[Answer]:
        """Hands on a request, or has it wait."""
        if os.getpid() != self._owner:
            # A fork has no threads, and the processes belong to the one that it was made of.
            left = self._workers
            self._begin()
            self._abandoned = left
        with self._lock:
            if self._is_closed:
                raise Closed("the packer is closed")
            worker = self._free_for(job)
            if worker:
                worker.inbox.put(job)
            else:
                self._waiting.append(job)
        return job.future

    def _free_for(self, job: Job[Answer]) -> Worker[Answer] | None:
        """A worker that has nothing to do: one that knows the repository, else a new one, else
        the one that knows the fewest."""
        known = [worker for worker in self._idle if worker.knows(job)]
        if not known and len(self._workers) < self._most:
            return self._hire()
        if not self._idle:
            return None
        worker = min(known or self._idle, key=lambda worker: worker.repositories)
        self._idle.remove(worker)
        return worker

    def _hire(self) -> Worker[Answer]:
        worker = Worker[Answer](lambda: Process(self._command, self._folder))
        # A daemon: when the interpreter ends, the pipes do, and with them the process.
        worker.thread = threading.Thread(
            target=self._work, args=[worker], name="packer", daemon=True
        )
        self._workers.append(worker)
        worker.thread.start()
        return worker

    def _work(self, worker: Worker[Answer]) -> None:
        is_closed = False
        while not is_closed and (job := worker.inbox.get()):
            tell = self._answer(worker, job)
            with self._lock:
                is_closed = self._is_closed
                if not is_closed and self._waiting:
                    worker.inbox.put(self._next_for(worker))
                elif not is_closed:
                    self._idle.append(worker)
            # Whoever is told finds the worker free.
            tell()
            # What was answered is not kept while waiting for more.
            del job, tell
        worker.close()

    def _answer(self, worker: Worker[Answer], job: Job[Answer]) -> Callable[[], None]:
        """Answers a request, unless it is cancelled; returns what tells the caller."""
        future = job.future
        if not future.set_running_or_notify_cancel():
            return lambda: None
        try:
            return partial(future.set_result, self._decode(worker.ask(job)))
        except BaseException as error:
            return partial(future.set_exception, error)

    def _next_for(self, worker: Worker[Answer]) -> Job[Answer]:
        """The oldest request that waits for a repository that the worker knows, else the oldest.

        None is passed over for ever.
        """
        first = self._waiting[0]
        known = (job for job in self._waiting if worker.knows(job))
        chosen = next(known, first) if first.passed < PATIENCE else first
        if chosen is not first:
            first.passed += 1
        self._waiting.remove(chosen)
        return chosen

    def close(self, wait: bool) -> None:
        """Ends all processes. Requests without an answer fail."""
        if os.getpid() != self._owner:
            return
        with self._lock:
            self._is_closed = True
            waiting = list(self._waiting)
            self._waiting.clear()
            busy = [worker for worker in self._workers if worker not in self._idle]
            for worker in self._workers:
                worker.inbox.put(None)
        for job in waiting:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(Closed("the packer was closed before the answer"))
        for worker in busy:
            worker.kill()
        for worker in self._workers if wait else []:
            if worker.thread and worker.thread is not threading.current_thread():
                worker.thread.join()
