"""A `packer batch` that is kept open."""

from __future__ import annotations

import io
import subprocess
import threading
from typing import IO, Sequence, cast

from ._command import HIDDEN, failed
from .errors import CommandError, ProcessError, TimedOut

# What is kept of what a process says on standard error: the end, where the reason stands.
TOLD = 8 * 1024

# What is read of an answer at once, in bytes.
BUFFER = 64 * 1024

# The seconds that a process has for ending by itself once its input is closed.
PATIENCE = 2.0


class Process:
    """One process: a line goes in, a line comes out."""

    def __init__(self, command: Sequence[str], folder: str) -> None:
        try:
            # Without a buffer, so that a line that was not taken is not written when it is closed.
            self._child = subprocess.Popen(
                command,
                cwd=folder,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **HIDDEN,
            )
        except (OSError, ValueError) as error:
            raise CommandError(f"`{command[0]}` cannot be started: {error}") from error
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._requests: IO[bytes] = self._child.stdin
        self._answers = io.BufferedReader(cast(io.RawIOBase, self._child.stdout), BUFFER)
        self._told = b""
        self._listener = threading.Thread(
            target=self._listen, args=[self._child.stderr], daemon=True
        )
        self._listener.start()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def is_alive(self) -> bool:
        return self._child.poll() is None

    def ask(self, line: bytes, timeout: float | None) -> bytes:
        """The answer to a line. After an error the process is no more."""
        late = threading.Event()

        def end() -> None:
            late.set()
            self.kill()

        # Writing can wait for ever as reading can, and an ended process wakes both.
        timer = threading.Timer(timeout, end) if timeout is not None else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            answer = self._exchange(line)
        finally:
            if timer:
                timer.cancel()
        if answer.endswith(b"\n"):
            return answer
        told = self._end()
        if late.is_set():
            raise TimedOut(f"`packer batch` gave no answer in {timeout:g} s")
        raise failed(told, f"`packer batch` ended with {self._child.returncode}", ProcessError)

    def _exchange(self, line: bytes) -> bytes:
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[self._requests.write(rest) :]
            return self._answers.readline()
        except OSError:
            # Its end of a pipe is closed.
            return b""

    def kill(self) -> None:
        """Ends the process at once. It writes nothing that could be left half done."""
        self._child.kill()

    def close(self) -> None:
        """Ends the process, which it does by itself at the end of its input."""
        self._requests.close()
        try:
            self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
        self._end()

    def _end(self) -> str:
        """Frees what the process had, and returns what it said last."""
        self.kill()
        self._child.wait()
        self._listener.join(PATIENCE)
        self._requests.close()
        self._answers.close()
        return self._told.decode("utf-8", "replace")

    def _listen(self, errors: IO[bytes]) -> None:
        """Takes what the process says on standard error, which it could not end without."""
        with errors:
            while said := errors.read(TOLD):
                self._told = (self._told + said)[-TOLD:]
