"""A prompt that was built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The text as messages for a model, as its provider takes them: those that were asked
        for with `messages`, `cache_points`, `role_last` or `since`, else one of the user's."""
        if self.report.messages is not None:
            return self.report.messages
        return [{"role": "user", "content": [{"type": "text", "text": self.text}]}]

    def __str__(self) -> str:
        return self.text
