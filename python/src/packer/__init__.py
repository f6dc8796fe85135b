"""Prompts for coding agents: a role, a task and a repository, packed into a token budget.

    from packer import Packer

    prompt = Packer("path/to/repository").render(
        "implement.j2", role="implementer", task="Greet in capital letters", targets=["greet.py"]
    )
    print(prompt.text)

`AsyncPacker` is the same to await, on several processes. The tools beside prompts are functions.
Everything is done by the command `packer`, which comes with this package.
"""

from ._command import find as find_command
from ._request import StrPath
from .client import AsyncPacker, Packer
from .errors import (
    Closed,
    CommandError,
    FileError,
    InternalError,
    PackerError,
    ProcessError,
    RepositoryError,
    RequestError,
    RoleError,
    TemplateError,
    TimedOut,
)
from .prompt import Prompt
from .tools import (
    ReadStyle,
    build_fix_context,
    build_implementation_context,
    build_issue_context,
    build_review_context,
    estimate_tokens,
    fit_to_budget,
    has_context,
    load_context,
    read_files,
    truncate_file,
)
from .types import (
    Engine,
    Flow,
    Note,
    NoteKind,
    PieceReport,
    Place,
    Prune,
    Report,
    Request,
    RoleReport,
    SectionReport,
    Status,
    Style,
    Tokenizer,
)

__all__ = [
    "AsyncPacker",
    "Closed",
    "CommandError",
    "Engine",
    "FileError",
    "Flow",
    "InternalError",
    "Note",
    "NoteKind",
    "Packer",
    "PackerError",
    "PieceReport",
    "Place",
    "ProcessError",
    "Prompt",
    "Prune",
    "ReadStyle",
    "Report",
    "RepositoryError",
    "Request",
    "RequestError",
    "RoleError",
    "RoleReport",
    "SectionReport",
    "Status",
    "StrPath",
    "Style",
    "TemplateError",
    "TimedOut",
    "Tokenizer",
    "build_fix_context",
    "build_implementation_context",
    "build_issue_context",
    "build_review_context",
    "estimate_tokens",
    "find_command",
    "fit_to_budget",
    "has_context",
    "load_context",
    "read_files",
    "truncate_file",
]
