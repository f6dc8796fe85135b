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
            template: The template to render, in place of the role's own.
            role: The role: its name, the path of a role file, or the role itself as an
                object.
            task: What the worker is to do. Needed unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what would have been gathered.
                What is no text is written as JSON.
            data: What the template finds as `data.KEY`. Never pruned.
            budget: The token budget of the whole prompt, in place of the role's; `auto` for
                an eighth of the model's context window. `pack` leaves 1,000 tokens of it for
                a template.
            prune: What happens when it does not fit, in place of the role's.
            style: How sections are written, in place of the role's.
            strict: Fail on a fallback, a prompt over its budget, a target that cannot be
                read, a change that was named and is empty or cannot be found, or characters
                in the prompt that are invisible and can hide instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, what is not committed as well.
            worktree: Show what differs from the last commit: staged, not staged, and new
                files.
            diff: Show this diff: its text, or `@FILE` as an option, `@-` for standard input.
            messages: Build the prompt as messages, with what changes least first; the report
                has them as `messages`.
            cache_points: Mark at most so many places in the messages up to which a provider
                is to remember them.
            role_last: Have the role behind the context instead of in the system message, so
                that the prompts of several roles begin alike. What goes on from such a prompt
                does so too.
            since: The report of an earlier prompt of this run, built as messages: this one
                begins as that one did, as far as it still holds and there is room.
            tokenizer: How tokens are counted, in place of the role's.
            model: The model that the prompt is for: it says how tokens are counted, unless
                `tokenizer` does, and how large `auto` is as a budget.
            engine: Who packs what the plain patterns match, in place of the role's.
            repo: The folder to build the prompt from, in place of that of `-C`; relative to
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
            task: What the worker is to do. Needed unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what would have been gathered.
                What is no text is written as JSON.
            data: What the template finds as `data.KEY`. Never pruned.
            budget: The token budget of the whole prompt, in place of the role's; `auto` for
                an eighth of the model's context window. `pack` leaves 1,000 tokens of it for
                a template.
            prune: What happens when it does not fit, in place of the role's.
            style: How sections are written, in place of the role's.
            strict: Fail on a fallback, a prompt over its budget, a target that cannot be
                read, a change that was named and is empty or cannot be found, or characters
                in the prompt that are invisible and can hide instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, what is not committed as well.
            worktree: Show what differs from the last commit: staged, not staged, and new
                files.
            diff: Show this diff: its text, or `@FILE` as an option, `@-` for standard input.
            messages: Build the prompt as messages, with what changes least first; the report
                has them as `messages`.
            cache_points: Mark at most so many places in the messages up to which a provider
                is to remember them.
            role_last: Have the role behind the context instead of in the system message, so
                that the prompts of several roles begin alike. What goes on from such a prompt
                does so too.
            since: The report of an earlier prompt of this run, built as messages: this one
                begins as that one did, as far as it still holds and there is room.
            tokenizer: How tokens are counted, in place of the role's.
            model: The model that the prompt is for: it says how tokens are counted, unless
                `tokenizer` does, and how large `auto` is as a budget.
            engine: Who packs what the plain patterns match, in place of the role's.
            repo: The folder to build the prompt from, in place of that of `-C`; relative to
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
            task: What the worker is to do. Needed unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what would have been gathered.
                What is no text is written as JSON.
            data: What the template finds as `data.KEY`. Never pruned.
            budget: The token budget of the whole prompt, in place of the role's; `auto` for
                an eighth of the model's context window. `pack` leaves 1,000 tokens of it for
                a template.
            prune: What happens when it does not fit, in place of the role's.
            style: How sections are written, in place of the role's.
            strict: Fail on a fallback, a prompt over its budget, a target that cannot be
                read, a change that was named and is empty or cannot be found, or characters
                in the prompt that are invisible and can hide instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, what is not committed as well.
            worktree: Show what differs from the last commit: staged, not staged, and new
                files.
            diff: Show this diff: its text, or `@FILE` as an option, `@-` for standard input.
            messages: Build the prompt as messages, with what changes least first; the report
                has them as `messages`.
            cache_points: Mark at most so many places in the messages up to which a provider
                is to remember them.
            role_last: Have the role behind the context instead of in the system message, so
                that the prompts of several roles begin alike. What goes on from such a prompt
                does so too.
            since: The report of an earlier prompt of this run, built as messages: this one
                begins as that one did, as far as it still holds and there is room.
            tokenizer: How tokens are counted, in place of the role's.
            model: The model that the prompt is for: it says how tokens are counted, unless
                `tokenizer` does, and how large `auto` is as a budget.
            engine: Who packs what the plain patterns match, in place of the role's.
            repo: The folder to build the prompt from, in place of that of `-C`; relative to
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
            template: The template to render, in place of the role's own.
            role: The role: its name, the path of a role file, or the role itself as an
                object.
            task: What the worker is to do. Needed unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what would have been gathered.
                What is no text is written as JSON.
            data: What the template finds as `data.KEY`. Never pruned.
            budget: The token budget of the whole prompt, in place of the role's; `auto` for
                an eighth of the model's context window. `pack` leaves 1,000 tokens of it for
                a template.
            prune: What happens when it does not fit, in place of the role's.
            style: How sections are written, in place of the role's.
            strict: Fail on a fallback, a prompt over its budget, a target that cannot be
                read, a change that was named and is empty or cannot be found, or characters
                in the prompt that are invisible and can hide instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, what is not committed as well.
            worktree: Show what differs from the last commit: staged, not staged, and new
                files.
            diff: Show this diff: its text, or `@FILE` as an option, `@-` for standard input.
            messages: Build the prompt as messages, with what changes least first; the report
                has them as `messages`.
            cache_points: Mark at most so many places in the messages up to which a provider
                is to remember them.
            role_last: Have the role behind the context instead of in the system message, so
                that the prompts of several roles begin alike. What goes on from such a prompt
                does so too.
            since: The report of an earlier prompt of this run, built as messages: this one
                begins as that one did, as far as it still holds and there is room.
            tokenizer: How tokens are counted, in place of the role's.
            model: The model that the prompt is for: it says how tokens are counted, unless
                `tokenizer` does, and how large `auto` is as a budget.
            engine: Who packs what the plain patterns match, in place of the role's.
            repo: The folder to build the prompt from, in place of that of `-C`; relative to
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
            task: What the worker is to do. Needed unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what would have been gathered.
                What is no text is written as JSON.
            data: What the template finds as `data.KEY`. Never pruned.
            budget: The token budget of the whole prompt, in place of the role's; `auto` for
                an eighth of the model's context window. `pack` leaves 1,000 tokens of it for
                a template.
            prune: What happens when it does not fit, in place of the role's.
            style: How sections are written, in place of the role's.
            strict: Fail on a fallback, a prompt over its budget, a target that cannot be
                read, a change that was named and is empty or cannot be found, or characters
                in the prompt that are invisible and can hide instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, what is not committed as well.
            worktree: Show what differs from the last commit: staged, not staged, and new
                files.
            diff: Show this diff: its text, or `@FILE` as an option, `@-` for standard input.
            messages: Build the prompt as messages, with what changes least first; the report
                has them as `messages`.
            cache_points: Mark at most so many places in the messages up to which a provider
                is to remember them.
            role_last: Have the role behind the context instead of in the system message, so
                that the prompts of several roles begin alike. What goes on from such a prompt
                does so too.
            since: The report of an earlier prompt of this run, built as messages: this one
                begins as that one did, as far as it still holds and there is room.
            tokenizer: How tokens are counted, in place of the role's.
            model: The model that the prompt is for: it says how tokens are counted, unless
                `tokenizer` does, and how large `auto` is as a budget.
            engine: Who packs what the plain patterns match, in place of the role's.
            repo: The folder to build the prompt from, in place of that of `-C`; relative to
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
            task: What the worker is to do. Needed unless the flow is `files`.
            targets: What the task is about, relative to the repository or absolute inside it:
                files, folders, lines (`src/a.rs:120-180`), symbols
                (`src/a.rs::Config::load`), globs (`src/*.py`).
            extra: Extra sections: a key and its text. `git_diff`, `imports`, `related`,
                `repo_map`, `tree` and `recent_commits` replace what would have been gathered.
                What is no text is written as JSON.
            data: What the template finds as `data.KEY`. Never pruned.
            budget: The token budget of the whole prompt, in place of the role's; `auto` for
                an eighth of the model's context window. `pack` leaves 1,000 tokens of it for
                a template.
            prune: What happens when it does not fit, in place of the role's.
            style: How sections are written, in place of the role's.
            strict: Fail on a fallback, a prompt over its budget, a target that cannot be
                read, a change that was named and is empty or cannot be found, or characters
                in the prompt that are invisible and can hide instructions.
            base: Show what HEAD changed since it left this branch, tag or commit; with
                `worktree`, what is not committed as well.
            worktree: Show what differs from the last commit: staged, not staged, and new
                files.
            diff: Show this diff: its text, or `@FILE` as an option, `@-` for standard input.
            messages: Build the prompt as messages, with what changes least first; the report
                has them as `messages`.
            cache_points: Mark at most so many places in the messages up to which a provider
                is to remember them.
            role_last: Have the role behind the context instead of in the system message, so
                that the prompts of several roles begin alike. What goes on from such a prompt
                does so too.
            since: The report of an earlier prompt of this run, built as messages: this one
                begins as that one did, as far as it still holds and there is room.
            tokenizer: How tokens are counted, in place of the role's.
            model: The model that the prompt is for: it says how tokens are counted, unless
                `tokenizer` does, and how large `auto` is as a budget.
            engine: Who packs what the plain patterns match, in place of the role's.
            repo: The folder to build the prompt from, in place of that of `-C`; relative to
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
