"""Why there is no prompt, and what to do about it."""

from __future__ import annotations

from .types import Failure, FailureKind, Place


class PackerError(Exception):
    """Anything that `packer` could not do. All errors of this package are of this kind."""

    def __init__(
        self, message: str, *, help: str | None = None, place: Place | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        """What is wrong, in a sentence."""
        self.help = help
        """What to do about it."""
        self.place = place
        """Where in a role or a template it is."""

    def __str__(self) -> str:
        place = self.place
        where = f"{place.file}:{place.line}:{place.column}: " if place else ""
        way_out = f"\nhelp: {self.help}" if self.help else ""
        return f"{where}{self.message}{way_out}"


class RequestError(PackerError):
    """The request, or what it asks for, is wrong."""


class RoleError(PackerError):
    """There is no such role, or it is wrong."""


class TemplateError(PackerError):
    """The template is not allowed, or it is wrong."""


class RepositoryError(PackerError):
    """The folder to build a prompt from cannot be used."""


class FileError(PackerError):
    """A file that the request names cannot be used."""


class InternalError(PackerError):
    """A mistake in `packer` itself."""


class CommandError(PackerError):
    """The command could not be found, could not be started, or failed."""


class ProcessError(CommandError):
    """The process that built the prompt ended, and so did the one that was to do it once more."""


class TimedOut(PackerError, TimeoutError):
    """There was no answer in time. The process was ended; the next request starts another."""


class Closed(PackerError):
    """The packer is closed."""


KINDS: dict[FailureKind, type[PackerError]] = {
    "request": RequestError,
    "role": RoleError,
    "template": TemplateError,
    "repository": RepositoryError,
    "file": FileError,
    "internal": InternalError,
}


def of(failure: Failure) -> PackerError:
    """The error that a batch's answer tells. One of a kind that is not known yet is a `PackerError`."""
    return KINDS.get(failure.kind, PackerError)(
        failure.message, help=failure.help, place=failure.place
    )
