"""What goes into `packer batch`, and what comes out.

Made by generate.py from the JSON Schemas that the command prints; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Mapping, TypedDict


Engine = Literal["auto", "native", "repomix"]
"""Which engine packs the files that plain patterns match.

- `auto`: Repomix if the pinned version is installed, otherwise packer itself.
- `native`: packer itself.
- `repomix`: Repomix, fetched if necessary.
"""


Flow = Literal["template", "whole", "files"]
"""How a prompt was built.

- `template`: Rendered from a template.
- `whole`: System prompt, task and context as sections.
- `files`: The file context alone.
"""


Prune = Literal["shrink", "drop"]
"""What happens when the sections do not fit.

- `shrink`: Shrink the section at the boundary to the room that is left.
- `drop`: Remove whole sections, the least important first.
"""


Style = Literal["markdown", "xml"]
"""How sections are written.

- `markdown`: Markdown headings and code fences.
- `xml`: XML elements.
"""


Tokenizer = Literal["chars", "calibrated", "claude", "claude-3", "gemini", "o200k", "cl100k"]
"""How tokens are counted.

- `chars`: Characters ÷ 4, rounded up for a whole text.
- `calibrated`: Close to `o200k`, by what pairs of characters usually cost there; as fast as
  `chars`.
- `claude`: Close to the tokens of Claude since Opus 4.7, by the same method.
- `claude-3`: Close to the tokens of Claude 3 to 4.6.
- `gemini`: Close to the tokens of Gemini 2 and 3.
- `o200k`: OpenAI's `o200k_base` vocabulary, exact.
- `cl100k`: OpenAI's `cl100k_base` vocabulary, exact.
"""


Status = Literal["kept", "shrunk", "dropped"]
"""What the budget made of a section.

- `kept`: All of it is there.
- `shrunk`: Some of it is there.
- `dropped`: None of it is there.
"""


NoteKind = Literal[
    "secret",
    "unreadable",
    "skipped",
    "cut",
    "pattern",
    "role",
    "template",
    "engine",
    "git",
    "over_budget",
    "encoding",
    "unseen",
    "unsearched",
    "duplicate",
    "unparsed",
    "reason",
]
"""The kind of a `Note`.

- `secret`: Something looks like a secret.
- `unreadable`: A file or folder could not be read.
- `skipped`: A file was left out on purpose: too large, binary, outside the repository.
- `cut`: Text or files that the caller passed were cut or left out to fit the budget.
- `pattern`: A pattern was rejected, or matched nothing.
- `role`: A setting of the role has no effect.
- `template`: The template failed.
- `engine`: Another engine packed the files than the one that was asked for.
- `git`: Git could not answer.
- `over_budget`: The protected parts alone are over the budget.
- `encoding`: Text was not valid in its encoding; the invalid parts were replaced.
- `unseen`: There are invisible characters that can hide instructions.
- `unsearched`: Not all files were searched, because there are too many.
- `duplicate`: The piece is written elsewhere in the prompt.
- `unparsed`: A source file has no parts and no outline: it cannot be parsed.
- `reason`: Why a piece is there.
"""


FailureKind = Literal["request", "role", "template", "repository", "file", "internal"]
"""What a failure is about.

- `request`: The line, or what it asks for.
- `role`: The role.
- `template`: The template.
- `repository`: The folder to build a prompt from.
- `file`: A file that the request names.
- `internal`: A bug in packer.
"""


@dataclass(frozen=True)
class RoleReport:
    """The role of a `Report`."""

    name: str
    """Its name."""
    source: str
    """Where it comes from: `built-in`, a file, or `request`."""
    base_role: str | None = None
    """The root of the chain of roles that it extends."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> RoleReport:
        """Reads it from JSON. Fields that this version does not know are passed over."""
        return cls(
            name=data["name"],
            source=data["source"],
            base_role=data.get("base_role"),
        )


@dataclass(frozen=True)
class SectionReport:
    """A section of a `Report`. Tokens are those of the section as it is written, heading
    included, counted on its own.
    """

    key: str
    """Its key."""
    status: Status
    """What the budget made of it."""
    protected: bool
    """Whether the budget had to leave it alone."""
    tokens: int
    """The tokens that it takes."""
    original_tokens: int
    """The tokens that it would take whole."""
    pieces: tuple[PieceReport, ...]
    """Its pieces in the order in which they are written."""
    note: str | None = None
    """What happened to the section as a whole."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> SectionReport:
        """Reads it from JSON. Fields that this version does not know are passed over."""
        return cls(
            key=data["key"],
            status=data["status"],
            protected=data["protected"],
            tokens=data["tokens"],
            original_tokens=data["original_tokens"],
            pieces=tuple(PieceReport.read(item) for item in data["pieces"]),
            note=data.get("note"),
        )


@dataclass(frozen=True)
class PieceReport:
    """A piece of a `SectionReport`."""

    form: Literal["full", "excerpt", "outline", "name", "omitted"]
    """`full`, `excerpt`, `outline`, `name` or `omitted`."""
    tokens: int
    """The tokens that it takes."""
    original_tokens: int
    """The tokens that it would take whole."""
    path: str | None = None
    """The path; null for text that is not a file."""
    note: str | None = None
    """What happened to it."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> PieceReport:
        """Reads it from JSON. Fields that this version does not know are passed over."""
        return cls(
            form=data["form"],
            tokens=data["tokens"],
            original_tokens=data["original_tokens"],
            path=data.get("path"),
            note=data.get("note"),
        )


@dataclass(frozen=True)
class Note:
    """Something that happened to a section or a piece.

    Warnings, the report, the table of `--explain` and the bracketed remarks in the prompt are
    all views of these.
    """

    kind: NoteKind
    """The kind of event."""
    message: str
    """What happened, in one line."""
    path: str | None = None
    """The file that it happened to."""
    line: int | None = None
    """The line in that file, counted from 1."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Note:
        """Reads it from JSON. Fields that this version does not know are passed over."""
        return cls(
            kind=data["kind"],
            message=data["message"],
            path=data.get("path"),
            line=data.get("line"),
        )


@dataclass(frozen=True)
class Failure:
    """Why there is no prompt."""

    kind: FailureKind
    """Where to look for the mistake."""
    message: str
    """What is wrong, in a sentence."""
    help: str | None = None
    """What to do about it."""
    place: Place | None = None
    """Where in a role or a template it is."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Failure:
        """Reads it from JSON. Fields that this version does not know are passed over."""
        return cls(
            kind=data["kind"],
            message=data["message"],
            help=data.get("help"),
            place=Place.read(data["place"]) if data.get("place") else None,
        )


@dataclass(frozen=True)
class Place:
    """A place in a file. Lines and columns count from 1, columns in characters."""

    file: str
    """The file as its author knows it, for example `roles/reviewer.yaml`."""
    line: int
    """The line."""
    column: int
    """The column of its first character."""
    end_column: int
    """The column after its last character on that line, at least one past `column`."""
    text: str
    """The text of that line without its line break, or a part of a very long line. Secrets are
    replaced by asterisks.
    """
    text_column: int
    """The column at which the text starts: 1, except on a very long line."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Place:
        """Reads it from JSON. Fields that this version does not know are passed over."""
        return cls(
            file=data["file"],
            line=data["line"],
            column=data["column"],
            end_column=data["end_column"],
            text=data["text"],
            text_column=data["text_column"],
        )


@dataclass(frozen=True)
class Report:
    """What is in a prompt and what is not; the JSON of `--format json`."""

    prompt: str
    """The text."""
    flow: Flow
    """How it was built."""
    role: RoleReport
    """The role that the prompt is for."""
    tokenizer: Tokenizer
    """How tokens were counted."""
    budget: int
    """The budget in tokens."""
    tokens: int
    """The tokens of `prompt`."""
    over_budget: bool
    """Whether the parts that are never pruned were over the budget by themselves."""
    sections: tuple[SectionReport, ...]
    """The sections in the order of their priority, including dropped ones."""
    warnings: tuple[Note, ...]
    """What the caller should know."""
    template: str | None = None
    """The template that was rendered."""
    expected_recall: float | None = None
    """How much of the code that must change beside the targets is expected to be in the prompt,
    from 0 to 1, as the ranking of related files estimates it; null if the role does not ask
    for related files.
    """
    messages: list[dict[str, Any]] | None = None
    """The prompt as messages, if messages were asked for."""
    shown: Mapping[str, Any] | None = None
    """What the messages show, to pass as `since` in the request for the next prompt."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Report:
        """Reads it from JSON. Fields that this version does not know are passed over."""
        return cls(
            prompt=data["prompt"],
            flow=data["flow"],
            role=RoleReport.read(data["role"]),
            tokenizer=data["tokenizer"],
            budget=data["budget"],
            tokens=data["tokens"],
            over_budget=data["over_budget"],
            sections=tuple(SectionReport.read(item) for item in data["sections"]),
            warnings=tuple(Note.read(item) for item in data["warnings"]),
            template=data.get("template"),
            expected_recall=data.get("expected_recall"),
            messages=data.get("messages"),
            shown=data.get("shown"),
        )


class Request(TypedDict, total=False):
    """A request, as `packer schema request` has it. What is not needed is left out."""

    template: str
    """The template to render instead of the role's own."""
    role: str | Mapping[str, Any]
    """The role: its name, the path of a role file, or the role itself as an object."""
    task: str
    """What the worker is to do. Required unless the flow is `files`."""
    target: list[str]
    """What the task is about, relative to the repository or absolute inside it: files, folders,
    lines (`src/a.rs:120-180`), symbols (`src/a.rs::Config::load`), globs (`src/*.py`).
    """
    extra: Mapping[str, Any]
    """Extra sections: a key and its text. `git_diff`, `imports`, `related`, `repo_map`, `tree`
    and `recent_commits` replace what packer would gather. Values other than strings are
    written as JSON.
    """
    data: Mapping[str, Any]
    """Values for the template, as `data.KEY`. They are never pruned."""
    budget: int | Literal["auto"]
    """The token budget of the whole prompt, instead of the role's; `auto` is an eighth of the
    model's context window. `pack` leaves 1,000 tokens of it for a template.
    """
    prune: Prune
    """What to do when the sections do not fit, instead of the role's rule."""
    style: Style
    """How sections are written, instead of the role's style."""
    strict: bool
    """Fail if the template fails, the prompt is over its budget, a target cannot be read, a
    named change is empty or cannot be found, repomix is to list the files and cannot, or the
    prompt has invisible characters that can hide instructions.
    """
    base: str
    """Show what HEAD changed since it left this branch, tag or commit; with `worktree`,
    uncommitted changes too.
    """
    worktree: bool
    """Show what differs from the last commit: staged, unstaged and new files."""
    diff: str
    """Show this diff: its text, or as an option `@FILE`, with `@-` for standard input."""
    messages: bool
    """Build the prompt as messages, with the parts that change least first; the report has them
    as `messages`.
    """
    cache_points: int
    """Mark up to N cache points in the messages: places up to which a provider should cache the
    prompt.
    """
    role_last: bool
    """Put the role after the context instead of in the system message, so that prompts of
    several roles begin alike. A prompt that continues such a prompt does the same.
    """
    since: Mapping[str, Any]
    """The report of an earlier prompt of this run, built as messages. The new prompt begins with
    the same text as far as it still holds and fits.
    """
    tokenizer: Tokenizer
    """How tokens are counted, instead of the role's tokenizer."""
    model: str
    """The model that the prompt is for. It decides how tokens are counted, unless `tokenizer`
    does, and how large the budget `auto` is.
    """
    engine: Engine
    """Which engine packs the files that plain patterns match, instead of the role's."""
    flow: Flow
    """How the prompt is built: with a template, whole without one, or only the files. By
    default, with the template named here or by the role, or else whole.
    """
    repo: str
    """The folder to build the prompt from, instead of that of `-C`; relative to the current one."""
