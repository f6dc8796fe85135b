"""A prompt that was built."""

from __future__ import annotations

from dataclasses import dataclass

from .types import Note, Report


@dataclass(frozen=True)
class Prompt:
    """A prompt, and all that is known about it. As a text it is what the model gets."""

    report: Report
    """What is in it and what is not."""

    @property
    def text(self) -> str:
        """What the model gets."""
        return self.report.prompt

    @property
    def warnings(self) -> tuple[Note, ...]:
        """What the caller should know."""
        return self.report.warnings

    @property
    def cut(self) -> frozenset[str]:
        """The keys of the sections that did not fit whole."""
        sections = self.report.sections
        return frozenset(section.key for section in sections if section.status != "kept")

    def __str__(self) -> str:
        return self.text
