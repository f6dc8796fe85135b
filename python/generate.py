"""Makes the types and calls of the package from the JSON Schemas that `packer schema` prints.

    python3 generate.py [--check] [PACKER]

PACKER is the command, else the one on the PATH. With `--check` nothing is written: what would
change is an error.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Iterator

PACKAGE = Path(__file__).parent / "src" / "packer"
WIDTH = 100
Schema = dict[str, Any]

MADE = "Made by generate.py from the JSON Schemas that the command prints; do not edit."

TYPES = f'''\
"""What goes into `packer batch`, and what comes out.

{MADE}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Mapping, TypedDict
'''

CALLS = f'''\
"""The calls that build a prompt, to wait for and to await.

{MADE}
"""

from __future__ import annotations

from typing import Any, Iterable, Literal, Mapping

from ._request import StrPath, request
from .prompt import Prompt
from .types import {{types}}
'''

# The calls: name, what it does, the arguments that stand first, and the flow it asks for.
METHODS: list[tuple[str, str, list[str], str | None]] = [
    (
        "render",
        "Builds a whole prompt by a template, as `packer render` does.",
        ["template", "role", "task"],
        None,
    ),
    (
        "prompt",
        "Builds a whole prompt by the role's own template, or without one, as `packer prompt` does.",
        ["role", "task"],
        None,
    ),
    ("pack", "Packs the file context alone, as `packer pack` does.", ["role"], "files"),
]
# Fields of a request that are no arguments: where an answer belongs, and what the call says.
WITHHELD = ["id", "flow"]
# Fields whose arguments are called otherwise, or take more than JSON has.
ARGUMENTS = {
    "role": ("role", "StrPath | Mapping[str, Any]"),
    "target": ("targets", "StrPath | Iterable[StrPath]"),
    "repo": ("repo", "StrPath"),
    "since": ("since", "Prompt | Mapping[str, Any]"),
}
# Fields that stay the JSON that they are: a model's provider or the next request takes them.
AS_JSON = {
    "messages": "list[dict[str, Any]]",
    "shown": "Mapping[str, Any]",
    "since": "Mapping[str, Any]",
}
TIMEOUT = "The seconds that a process may take for the answer, in place of those of the packer."


def main() -> None:
    arguments = sys.argv[1:]
    check = "--check" in arguments
    packer = next((word for word in arguments if word != "--check"), "packer")
    files = {"types.py": types(packer), "_calls.py": calls(packer)}
    stale = [name for name, text in files.items() if read(PACKAGE / name) != text]
    if check and stale:
        sys.exit(
            f"error: {' and '.join(stale)} do not say what the schemas say\nhelp: run generate.py"
        )
    for name in stale:
        (PACKAGE / name).write_bytes(files[name].encode())


def read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def schema(packer: str, kind: str) -> Schema:
    printed = subprocess.run([packer, "schema", kind], check=True, stdout=subprocess.PIPE)
    return json.loads(printed.stdout)


def types(packer: str) -> str:
    """The module of the types."""
    request, report, answer = (
        schema(packer, kind) for kind in ["batch-request", "report", "batch-report"]
    )
    shared: dict[str, Schema] = {**request["$defs"], **report["$defs"], **answer["$defs"]}
    for own in ["Built", "Failed"]:  # a report with a line's number, and a failure with it
        del shared[own]
    for own in within_json(shared, [request, report]):
        del shared[own]
    parts = [TYPES]
    records = {name: kind for name, kind in shared.items() if "oneOf" not in kind}
    parts += ["".join(choice(name, kind)) for name, kind in shared.items() if name not in records]
    for name, kind in [*records.items(), ("Report", report)]:
        parts.append("".join(record(name, kind, list(records))))
    parts.append("".join(asked(request)))
    return "\n\n".join(parts)


def as_json(field: str, kind: Schema) -> str:
    """The type of a field that stays the JSON that it is; empty for any other."""
    is_plain = without_null(kind)[0].get("type") == "boolean"
    return "" if is_plain else AS_JSON.get(field, "")


def within_json(shared: dict[str, Schema], schemas: list[Schema]) -> set[str]:
    """The types that only such fields have."""
    left = [
        kind
        for schema in schemas
        for field, kind in schema["properties"].items()
        if as_json(field, kind)
    ]
    found: set[str] = set()
    while left:
        new = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(left.pop()))) - found
        found |= new
        left += [shared[name] for name in new]
    return found


def choice(name: str, kind: Schema) -> Iterator[str]:
    """A type of a few words."""
    words = ", ".join(json.dumps(word["const"]) for word in kind["oneOf"])
    yield fold(f"{name} = Literal[", words, "]")
    listed = "\n".join(f"- `{word['const']}`: {said(word)}" for word in kind["oneOf"])
    yield docstring(f"{said(kind)}\n\n{listed}", "")


def record(name: str, kind: Schema, records: list[str]) -> Iterator[str]:
    """A class of what comes out."""
    fields: dict[str, Schema] = kind["properties"]
    needed: list[str] = kind.get("required", [])
    ordered = sorted(fields, key=lambda field: field not in needed)
    yield f"@dataclass(frozen=True)\nclass {name}:\n"
    yield docstring(said(kind), "    ") + "\n"
    for field in ordered:
        default = "" if field in needed else " = None"
        kept = as_json(field, fields[field])
        yield f"    {field}: {f'{kept} | None' if kept else name_of(fields[field])}{default}\n"
        yield docstring(said(fields[field]), "    ")
    yield "\n    @classmethod\n"
    yield f"    def read(cls, data: Mapping[str, Any]) -> {name}:\n"
    yield '        """Reads it from JSON. Fields that this version does not know are passed over."""\n'
    yield "        return cls(\n"
    for field in ordered:
        yield f"            {field}={reading(field, fields[field], field in needed, records)},\n"
    yield "        )\n"


def reading(field: str, kind: Schema, needed: bool, records: list[str]) -> str:
    """The expression that reads a field: objects become records, all else stays as it is."""
    value = f'data["{field}"]' if needed else f'data.get("{field}")'
    if as_json(field, kind):
        return value
    if kind.get("type") == "array":
        return f"tuple({target(kind['items'])}.read(item) for item in {value})"
    inner, nullable = without_null(kind)
    if target(inner) not in records:
        return value
    made = f'{target(inner)}.read(data["{field}"])'
    return f"{made} if {value} else None" if nullable else made


def target(kind: Schema) -> str:
    """The name of the type that a schema refers to; empty if it does not."""
    return str(kind.get("$ref", "")).rpartition("/")[2]


def asked(kind: Schema) -> Iterator[str]:
    """The dictionary that a request is."""
    yield "class Request(TypedDict, total=False):\n"
    yield (
        docstring(
            "A request, as `packer schema request` has it. What is not needed is left out.", "    "
        )
        + "\n"
    )
    for field, value in kind["properties"].items():
        if field != "id":
            kept = as_json(field, value)
            yield f"    {field}: {kept or name_of(without_null(value)[0])}\n"
            yield docstring(said(value), "    ")


def calls(packer: str) -> str:
    """The module of the calls."""
    asked = schema(packer, "batch-request")
    fields: dict[str, Schema] = {
        name: kind for name, kind in asked["properties"].items() if name not in WITHHELD
    }
    named = {field: kind for field, kind in fields.items() if not as_json(field, kind)}
    used = {target(without_null(kind)[0]) for kind in named.values()} - {""}
    parts = [CALLS.format(types=", ".join(sorted({"Request", *used})))]
    for name, prefix, wait in [("Calls", "", ""), ("AsyncCalls", "async ", "await ")]:
        parts.append("".join(call_class(name, prefix, wait, fields)))
    return "\n\n".join(parts)


def call_class(name: str, prefix: str, wait: str, fields: dict[str, Schema]) -> Iterator[str]:
    kind = "to await" if prefix else "to wait for"
    yield f'class {name}:\n    """The calls {kind}."""\n\n'
    yield f"    {prefix}def build(self, request: Request, *, timeout: float | None = None) -> Prompt:\n"
    yield docstring(f"Builds what a request asks for.\n\nArgs:\n    timeout: {TIMEOUT}", " " * 8)
    yield "        raise NotImplementedError\n"
    for method, does, first, flow in METHODS:
        yield "\n" + "".join(call(method, does, first, flow, prefix, wait, fields))


def call(
    method: str,
    does: str,
    first: list[str],
    flow: str | None,
    prefix: str,
    wait: str,
    fields: dict[str, Schema],
) -> Iterator[str]:
    rest = [field for field in fields if field not in [*first, "template"]]
    yield f"    {prefix}def {method}(\n        self,\n"
    if first[0] == "template":
        yield "        template: str,\n"
    yield "        *,\n"
    for field in first:
        if field != "template":
            yield f"        {argument(field, fields[field])[0]}: {argument(field, fields[field])[1]},\n"
    for field in rest:
        name, kind = argument(field, fields[field])
        yield f"        {name}: {kind} | None = None,\n"
    yield "        timeout: float | None = None,\n    ) -> Prompt:\n"
    told = [(argument(field, fields[field])[0], said(fields[field])) for field in [*first, *rest]]
    listed = "\n".join(f"    {name}: {text}" for name, text in [*told, ("timeout", TIMEOUT)])
    yield docstring(f"{does}\n\nArgs:\n{listed}", " " * 8)
    yield "        asked = request(\n"
    for field in [*first, *rest]:
        yield f"            {field}={argument(field, fields[field])[0]},\n"
    if flow:
        yield f'            flow="{flow}",\n'
    yield "        )\n"
    yield f"        return {wait}self.build(asked, timeout=timeout)\n"


def argument(field: str, kind: Schema) -> tuple[str, str]:
    """The name and the type of a field's argument."""
    return ARGUMENTS.get(field) or (field, as_json(field, kind) or name_of(without_null(kind)[0]))


PLAIN = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "Mapping[str, Any]",
    "null": "None",
}


def name_of(kind: Schema) -> str:
    """The Python type of a schema."""
    if "$ref" in kind:
        return target(kind)
    if "enum" in kind:
        return f"Literal[{', '.join(json.dumps(word) for word in kind['enum'])}]"
    if "anyOf" in kind:
        return " | ".join(name_of(one) for one in kind["anyOf"])
    if kind.get("type") == "array":
        # What comes out is not to be changed; what goes in is a list in JSON.
        item = name_of(kind["items"])
        return f"tuple[{item}, ...]" if "$ref" in kind["items"] else f"list[{item}]"
    names: str | list[str] = kind["type"]
    return " | ".join(PLAIN[name] for name in ([names] if isinstance(names, str) else names))


def without_null(kind: Schema) -> tuple[Schema, bool]:
    """A schema without `null`, and whether it had it."""
    if "anyOf" in kind:
        others = [one for one in kind["anyOf"] if one != {"type": "null"}]
        if len(others) == 1 and len(others) < len(kind["anyOf"]):
            return others[0], True
    if isinstance(kind.get("type"), list) and "null" in kind["type"]:
        names = [name for name in kind["type"] if name != "null"]
        return {**kind, "type": names[0] if len(names) == 1 else names}, True
    return kind, False


def said(kind: Schema) -> str:
    """What a schema says of itself, without links of Rust's documents."""
    text = re.sub(r"\[(`[^`]+`)\]", r"\1", kind.get("description", ""))
    # A single line break is only where the source was folded.
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)


def docstring(text: str, indent: str) -> str:
    """A docstring, folded to the width of a line."""
    lines: list[str] = []
    for line in text.replace("\\", "\\\\").split("\n"):
        own = line[: len(line) - len(line.lstrip())]
        hanging = own + ("  " if line.startswith("- ") else " " * 4 if own else "")
        lines += textwrap.wrap(
            line,
            WIDTH - len(indent) - 6,
            initial_indent="",
            subsequent_indent=hanging,
            break_on_hyphens=False,
        ) or [""]
    body = "\n".join(f"{indent}{line}".rstrip() for line in lines).lstrip()
    end = f"\n{indent}" if len(lines) > 1 else ""
    return f'{indent}"""{body}{end}"""\n'


def fold(head: str, words: str, tail: str) -> str:
    """An expression on one line, or on three."""
    whole = f"{head}{words}{tail}\n"
    return (
        whole
        if len(whole) <= WIDTH
        else f"{head}\n    " + f"{words.replace(', ', ',' + chr(10) + '    ')},\n{tail}\n"
    )


if __name__ == "__main__":
    main()
