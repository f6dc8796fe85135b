"""The calls that build a prompt, to wait for and to await.

Made by generate.py from the JSON Schemas that the command prints; do not edit.
"""

from __future__ import annotations

from typing import Any, Iterable, Literal, Mapping

from ._request import StrPath, request
from .prompt import Prompt
from .types import Engine, Prune, Request, Style, Tokenizer


class Calls:
    """The calls to wait for."""

    def build(self, request: Request, *, timeout: float | None = None) -> Prompt:
        """Builds what a request asks for.

        Args:
            timeout: The seconds that a process may take for the answer, in place of those of
                the packer.
        """
        raise NotImplementedError

    def render(
        self,
        template: str,
        *,
        role: StrPath | Mapping[str, Any],
        task: str,
        targets: StrPath | Iterable[StrPath] | None = None,
        extra: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        budget: int | Literal["auto"] | None = None,
        prune: Prune | None = None,
        style: Style | None = None,
        strict: bool | None = None,
        base: str | None = None,
        worktree: bool | None = None,
        diff: str | None = None,
        messages: bool | None = None,
        cache_points: int | None = None,
        role_last: bool | None = None,
        since: Prompt | Mapping[str, Any] | None = None,
        tokenizer: Tokenizer | None = None,
        model: str | None = None,
        engine: Engine | None = None,
        repo: StrPath | None = None,
        timeout: float | None = None,
    ) -> Prompt:
        """Builds a whole prompt by a template, as `packer render` does.

        Args:
            template: The template to render instead of the role's own.
            role: The role: its name, the path of a role file, or the role itself as an
                object.
            task: What the worker is to do. Required unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what packer would gather.
                Values other than strings are written as JSON.
            data: Values for the template, as `data.KEY`. They are never pruned.
            budget: The token budget of the whole prompt, instead of the role's; `auto` is an
                eighth of the model's context window. `pack` leaves 1,000 tokens of it for a
                template.
            prune: What to do when the sections do not fit, instead of the role's rule.
            style: How sections are written, instead of the role's style.
            strict: Fail if the template fails, the prompt is over its budget, a target cannot
                be read, a named change is empty or cannot be found, repomix is to list the
                files and cannot, or the prompt has invisible characters that can hide
                instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, uncommitted changes too.
            worktree: Show what differs from the last commit: staged, unstaged and new files.
            diff: Show this diff: its text, or as an option `@FILE`, with `@-` for standard
                input.
            messages: Build the prompt as messages, with the parts that change least first;
                the report has them as `messages`.
            cache_points: Mark up to N cache points in the messages: places up to which a
                provider should cache the prompt.
            role_last: Put the role after the context instead of in the system message, so
                that prompts of several roles begin alike. A prompt that continues such a
                prompt does the same.
            since: The report of an earlier prompt of this run, built as messages. The new
                prompt begins with the same text as far as it still holds and fits.
            tokenizer: How tokens are counted, instead of the role's tokenizer.
            model: The model that the prompt is for. It decides how tokens are counted, unless
                `tokenizer` does, and how large the budget `auto` is.
            engine: Which engine packs the files that plain patterns match, instead of the
                role's.
            repo: The folder to build the prompt from, instead of that of `-C`; relative to
                the current one.
            timeout: The seconds that a process may take for the answer, in place of those of
                the packer.
        """
        asked = request(
            template=template,
            role=role,
            task=task,
            target=targets,
            extra=extra,
            data=data,
            budget=budget,
            prune=prune,
            style=style,
            strict=strict,
            base=base,
            worktree=worktree,
            diff=diff,
            messages=messages,
            cache_points=cache_points,
            role_last=role_last,
            since=since,
            tokenizer=tokenizer,
            model=model,
            engine=engine,
            repo=repo,
        )
        return self.build(asked, timeout=timeout)

    def prompt(
        self,
        *,
        role: StrPath | Mapping[str, Any],
        task: str,
        targets: StrPath | Iterable[StrPath] | None = None,
        extra: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        budget: int | Literal["auto"] | None = None,
        prune: Prune | None = None,
        style: Style | None = None,
        strict: bool | None = None,
        base: str | None = None,
        worktree: bool | None = None,
        diff: str | None = None,
        messages: bool | None = None,
        cache_points: int | None = None,
        role_last: bool | None = None,
        since: Prompt | Mapping[str, Any] | None = None,
        tokenizer: Tokenizer | None = None,
        model: str | None = None,
        engine: Engine | None = None,
        repo: StrPath | None = None,
        timeout: float | None = None,
    ) -> Prompt:
        """Builds a whole prompt by the role's own template, or without one, as `packer prompt`
        does.

        Args:
            role: The role: its name, the path of a role file, or the role itself as an
                object.
            task: What the worker is to do. Required unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what packer would gather.
                Values other than strings are written as JSON.
            data: Values for the template, as `data.KEY`. They are never pruned.
            budget: The token budget of the whole prompt, instead of the role's; `auto` is an
                eighth of the model's context window. `pack` leaves 1,000 tokens of it for a
                template.
            prune: What to do when the sections do not fit, instead of the role's rule.
            style: How sections are written, instead of the role's style.
            strict: Fail if the template fails, the prompt is over its budget, a target cannot
                be read, a named change is empty or cannot be found, repomix is to list the
                files and cannot, or the prompt has invisible characters that can hide
                instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, uncommitted changes too.
            worktree: Show what differs from the last commit: staged, unstaged and new files.
            diff: Show this diff: its text, or as an option `@FILE`, with `@-` for standard
                input.
            messages: Build the prompt as messages, with the parts that change least first;
                the report has them as `messages`.
            cache_points: Mark up to N cache points in the messages: places up to which a
                provider should cache the prompt.
            role_last: Put the role after the context instead of in the system message, so
                that prompts of several roles begin alike. A prompt that continues such a
                prompt does the same.
            since: The report of an earlier prompt of this run, built as messages. The new
                prompt begins with the same text as far as it still holds and fits.
            tokenizer: How tokens are counted, instead of the role's tokenizer.
            model: The model that the prompt is for. It decides how tokens are counted, unless
                `tokenizer` does, and how large the budget `auto` is.
            engine: Which engine packs the files that plain patterns match, instead of the
                role's.
            repo: The folder to build the prompt from, instead of that of `-C`; relative to
                the current one.
            timeout: The seconds that a process may take for the answer, in place of those of
                the packer.
        """
        asked = request(
            role=role,
            task=task,
            target=targets,
            extra=extra,
            data=data,
            budget=budget,
            prune=prune,
            style=style,
            strict=strict,
            base=base,
            worktree=worktree,
            diff=diff,
            messages=messages,
            cache_points=cache_points,
            role_last=role_last,
            since=since,
            tokenizer=tokenizer,
            model=model,
            engine=engine,
            repo=repo,
        )
        return self.build(asked, timeout=timeout)

    def pack(
        self,
        *,
        role: StrPath | Mapping[str, Any],
        task: str | None = None,
        targets: StrPath | Iterable[StrPath] | None = None,
        extra: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        budget: int | Literal["auto"] | None = None,
        prune: Prune | None = None,
        style: Style | None = None,
        strict: bool | None = None,
        base: str | None = None,
        worktree: bool | None = None,
        diff: str | None = None,
        messages: bool | None = None,
        cache_points: int | None = None,
        role_last: bool | None = None,
        since: Prompt | Mapping[str, Any] | None = None,
        tokenizer: Tokenizer | None = None,
        model: str | None = None,
        engine: Engine | None = None,
        repo: StrPath | None = None,
        timeout: float | None = None,
    ) -> Prompt:
        """Packs the file context alone, as `packer pack` does.

        Args:
            role: The role: its name, the path of a role file, or the role itself as an
                object.
            task: What the worker is to do. Required unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what packer would gather.
                Values other than strings are written as JSON.
            data: Values for the template, as `data.KEY`. They are never pruned.
            budget: The token budget of the whole prompt, instead of the role's; `auto` is an
                eighth of the model's context window. `pack` leaves 1,000 tokens of it for a
                template.
            prune: What to do when the sections do not fit, instead of the role's rule.
            style: How sections are written, instead of the role's style.
            strict: Fail if the template fails, the prompt is over its budget, a target cannot
                be read, a named change is empty or cannot be found, repomix is to list the
                files and cannot, or the prompt has invisible characters that can hide
                instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, uncommitted changes too.
            worktree: Show what differs from the last commit: staged, unstaged and new files.
            diff: Show this diff: its text, or as an option `@FILE`, with `@-` for standard
                input.
            messages: Build the prompt as messages, with the parts that change least first;
                the report has them as `messages`.
            cache_points: Mark up to N cache points in the messages: places up to which a
                provider should cache the prompt.
            role_last: Put the role after the context instead of in the system message, so
                that prompts of several roles begin alike. A prompt that continues such a
                prompt does the same.
            since: The report of an earlier prompt of this run, built as messages. The new
                prompt begins with the same text as far as it still holds and fits.
            tokenizer: How tokens are counted, instead of the role's tokenizer.
            model: The model that the prompt is for. It decides how tokens are counted, unless
                `tokenizer` does, and how large the budget `auto` is.
            engine: Which engine packs the files that plain patterns match, instead of the
                role's.
            repo: The folder to build the prompt from, instead of that of `-C`; relative to
                the current one.
            timeout: The seconds that a process may take for the answer, in place of those of
                the packer.
        """
        asked = request(
            role=role,
            task=task,
            target=targets,
            extra=extra,
            data=data,
            budget=budget,
            prune=prune,
            style=style,
            strict=strict,
            base=base,
            worktree=worktree,
            diff=diff,
            messages=messages,
            cache_points=cache_points,
            role_last=role_last,
            since=since,
            tokenizer=tokenizer,
            model=model,
            engine=engine,
            repo=repo,
            flow="files",
        )
        return self.build(asked, timeout=timeout)


class AsyncCalls:
    """The calls to await."""

    async def build(self, request: Request, *, timeout: float | None = None) -> Prompt:
        """Builds what a request asks for.

        Args:
            timeout: The seconds that a process may take for the answer, in place of those of
                the packer.
        """
        raise NotImplementedError

    async def render(
        self,
        template: str,
        *,
        role: StrPath | Mapping[str, Any],
        task: str,
        targets: StrPath | Iterable[StrPath] | None = None,
        extra: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        budget: int | Literal["auto"] | None = None,
        prune: Prune | None = None,
        style: Style | None = None,
        strict: bool | None = None,
        base: str | None = None,
        worktree: bool | None = None,
        diff: str | None = None,
        messages: bool | None = None,
        cache_points: int | None = None,
        role_last: bool | None = None,
        since: Prompt | Mapping[str, Any] | None = None,
        tokenizer: Tokenizer | None = None,
        model: str | None = None,
        engine: Engine | None = None,
        repo: StrPath | None = None,
        timeout: float | None = None,
    ) -> Prompt:
        """Builds a whole prompt by a template, as `packer render` does.

        Args:
            template: The template to render instead of the role's own.
            role: The role: its name, the path of a role file, or the role itself as an
                object.
            task: What the worker is to do. Required unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what packer would gather.
                Values other than strings are written as JSON.
            data: Values for the template, as `data.KEY`. They are never pruned.
            budget: The token budget of the whole prompt, instead of the role's; `auto` is an
                eighth of the model's context window. `pack` leaves 1,000 tokens of it for a
                template.
            prune: What to do when the sections do not fit, instead of the role's rule.
            style: How sections are written, instead of the role's style.
            strict: Fail if the template fails, the prompt is over its budget, a target cannot
                be read, a named change is empty or cannot be found, repomix is to list the
                files and cannot, or the prompt has invisible characters that can hide
                instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, uncommitted changes too.
            worktree: Show what differs from the last commit: staged, unstaged and new files.
            diff: Show this diff: its text, or as an option `@FILE`, with `@-` for standard
                input.
            messages: Build the prompt as messages, with the parts that change least first;
                the report has them as `messages`.
            cache_points: Mark up to N cache points in the messages: places up to which a
                provider should cache the prompt.
            role_last: Put the role after the context instead of in the system message, so
                that prompts of several roles begin alike. A prompt that continues such a
                prompt does the same.
            since: The report of an earlier prompt of this run, built as messages. The new
                prompt begins with the same text as far as it still holds and fits.
            tokenizer: How tokens are counted, instead of the role's tokenizer.
            model: The model that the prompt is for. It decides how tokens are counted, unless
                `tokenizer` does, and how large the budget `auto` is.
            engine: Which engine packs the files that plain patterns match, instead of the
                role's.
            repo: The folder to build the prompt from, instead of that of `-C`; relative to
                the current one.
            timeout: The seconds that a process may take for the answer, in place of those of
                the packer.
        """
        asked = request(
            template=template,
            role=role,
            task=task,
            target=targets,
            extra=extra,
            data=data,
            budget=budget,
            prune=prune,
            style=style,
            strict=strict,
            base=base,
            worktree=worktree,
            diff=diff,
            messages=messages,
            cache_points=cache_points,
            role_last=role_last,
            since=since,
            tokenizer=tokenizer,
            model=model,
            engine=engine,
            repo=repo,
        )
        return await self.build(asked, timeout=timeout)

    async def prompt(
        self,
        *,
        role: StrPath | Mapping[str, Any],
        task: str,
        targets: StrPath | Iterable[StrPath] | None = None,
        extra: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        budget: int | Literal["auto"] | None = None,
        prune: Prune | None = None,
        style: Style | None = None,
        strict: bool | None = None,
        base: str | None = None,
        worktree: bool | None = None,
        diff: str | None = None,
        messages: bool | None = None,
        cache_points: int | None = None,
        role_last: bool | None = None,
        since: Prompt | Mapping[str, Any] | None = None,
        tokenizer: Tokenizer | None = None,
        model: str | None = None,
        engine: Engine | None = None,
        repo: StrPath | None = None,
        timeout: float | None = None,
    ) -> Prompt:
        """Builds a whole prompt by the role's own template, or without one, as `packer prompt`
        does.

        Args:
            role: The role: its name, the path of a role file, or the role itself as an
                object.
            task: What the worker is to do. Required unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what packer would gather.
                Values other than strings are written as JSON.
            data: Values for the template, as `data.KEY`. They are never pruned.
            budget: The token budget of the whole prompt, instead of the role's; `auto` is an
                eighth of the model's context window. `pack` leaves 1,000 tokens of it for a
                template.
            prune: What to do when the sections do not fit, instead of the role's rule.
            style: How sections are written, instead of the role's style.
            strict: Fail if the template fails, the prompt is over its budget, a target cannot
                be read, a named change is empty or cannot be found, repomix is to list the
                files and cannot, or the prompt has invisible characters that can hide
                instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, uncommitted changes too.
            worktree: Show what differs from the last commit: staged, unstaged and new files.
            diff: Show this diff: its text, or as an option `@FILE`, with `@-` for standard
                input.
            messages: Build the prompt as messages, with the parts that change least first;
                the report has them as `messages`.
            cache_points: Mark up to N cache points in the messages: places up to which a
                provider should cache the prompt.
            role_last: Put the role after the context instead of in the system message, so
                that prompts of several roles begin alike. A prompt that continues such a
                prompt does the same.
            since: The report of an earlier prompt of this run, built as messages. The new
                prompt begins with the same text as far as it still holds and fits.
            tokenizer: How tokens are counted, instead of the role's tokenizer.
            model: The model that the prompt is for. It decides how tokens are counted, unless
                `tokenizer` does, and how large the budget `auto` is.
            engine: Which engine packs the files that plain patterns match, instead of the
                role's.
            repo: The folder to build the prompt from, instead of that of `-C`; relative to
                the current one.
            timeout: The seconds that a process may take for the answer, in place of those of
                the packer.
        """
        asked = request(
            role=role,
            task=task,
            target=targets,
            extra=extra,
            data=data,
            budget=budget,
            prune=prune,
            style=style,
            strict=strict,
            base=base,
            worktree=worktree,
            diff=diff,
            messages=messages,
            cache_points=cache_points,
            role_last=role_last,
            since=since,
            tokenizer=tokenizer,
            model=model,
            engine=engine,
            repo=repo,
        )
        return await self.build(asked, timeout=timeout)

    async def pack(
        self,
        *,
        role: StrPath | Mapping[str, Any],
        task: str | None = None,
        targets: StrPath | Iterable[StrPath] | None = None,
        extra: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        budget: int | Literal["auto"] | None = None,
        prune: Prune | None = None,
        style: Style | None = None,
        strict: bool | None = None,
        base: str | None = None,
        worktree: bool | None = None,
        diff: str | None = None,
        messages: bool | None = None,
        cache_points: int | None = None,
        role_last: bool | None = None,
        since: Prompt | Mapping[str, Any] | None = None,
        tokenizer: Tokenizer | None = None,
        model: str | None = None,
        engine: Engine | None = None,
        repo: StrPath | None = None,
        timeout: float | None = None,
    ) -> Prompt:
        """Packs the file context alone, as `packer pack` does.

        Args:
            role: The role: its name, the path of a role file, or the role itself as an
                object.
            task: What the worker is to do. Required unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what packer would gather.
                Values other than strings are written as JSON.
            data: Values for the template, as `data.KEY`. They are never pruned.
            budget: The token budget of the whole prompt, instead of the role's; `auto` is an
                eighth of the model's context window. `pack` leaves 1,000 tokens of it for a
                template.
            prune: What to do when the sections do not fit, instead of the role's rule.
            style: How sections are written, instead of the role's style.
            strict: Fail if the template fails, the prompt is over its budget, a target cannot
                be read, a named change is empty or cannot be found, repomix is to list the
                files and cannot, or the prompt has invisible characters that can hide
                instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, uncommitted changes too.
            worktree: Show what differs from the last commit: staged, unstaged and new files.
            diff: Show this diff: its text, or as an option `@FILE`, with `@-` for standard
                input.
            messages: Build the prompt as messages, with the parts that change least first;
                the report has them as `messages`.
            cache_points: Mark up to N cache points in the messages: places up to which a
                provider should cache the prompt.
            role_last: Put the role after the context instead of in the system message, so
                that prompts of several roles begin alike. A prompt that continues such a
                prompt does the same.
            since: The report of an earlier prompt of this run, built as messages. The new
                prompt begins with the same text as far as it still holds and fits.
            tokenizer: How tokens are counted, instead of the role's tokenizer.
            model: The model that the prompt is for. It decides how tokens are counted, unless
                `tokenizer` does, and how large the budget `auto` is.
            engine: Which engine packs the files that plain patterns match, instead of the
                role's.
            repo: The folder to build the prompt from, instead of that of `-C`; relative to
                the current one.
            timeout: The seconds that a process may take for the answer, in place of those of
                the packer.
        """
        asked = request(
            role=role,
            task=task,
            target=targets,
            extra=extra,
            data=data,
            budget=budget,
            prune=prune,
            style=style,
            strict=strict,
            base=base,
            worktree=worktree,
            diff=diff,
            messages=messages,
            cache_points=cache_points,
            role_last=role_last,
            since=since,
            tokenizer=tokenizer,
            model=model,
            engine=engine,
            repo=repo,
            flow="files",
        )
        return await self.build(asked, timeout=timeout)
