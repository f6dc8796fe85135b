#!/usr/bin/env python3
"""How many secrets `packer` finds of those that were planted, and how often it is wrong.

    measure.py [--packer PROGRAM] [--seed N] [--each N] [--real FOLDER] [--gitleaks PROGRAM] [--list]

Plants secrets of every kind, made by chance (`kinds.py`), each in a file of its own and in all
surroundings that go with it, and counts the files of which something is said. With `--real` it
also counts what is said of real files, in which nothing was planted: `real.py` gets them.
`--list` shows what was missed, and what was said of real files. detect-secrets is measured beside
it if Python has it, gitleaks if it is named. Prints tables in Markdown.
"""

import argparse
import collections
import importlib.util
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import kinds

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent.parent / "target/release/packer"
SAID = re.compile(r"line (\d+) of `([^`]*)` looks like a secret: (.*)")
GROUPS = {"tokens": kinds.TOKENS, "assigned": kinds.ASSIGNED, "with what is around them": kinds.TEXTS}
ENDINGS = {
    "env": ".env", "export": ".sh", "YAML": ".yml", "JSON": ".json", "Python": ".py", "Rust": ".rs", "Go": ".go",
    "call": ".js", "JavaScript": ".js", "minified": ".js", "XML": ".xml", "Markdown": ".md", "TOML": ".toml",
    "properties": ".properties", "argument": ".py", "dictionary": ".py", "Java": ".java", "C#": ".cs", "PHP": ".php",
    "Terraform": ".tf", "compose": ".yml", "Kubernetes": ".yaml", "diff": ".patch", "comparison": ".c", "setter": ".java"}


def ending(around):
    fitting = (value for name, value in ENDINGS.items() if name in around)
    return next(fitting, ".txt")


def texts(kind, each, chance):
    """The texts of a kind: surroundings, ending of the file's name, and text."""
    if kind in kinds.TEXTS:
        for _ in range(each * 20):
            yield kind, ending(kind), kinds.TEXTS[kind](chance)
    elif kind in kinds.TOKENS:
        for around, frame in kinds.AROUND_TOKENS.items():
            for _ in range(each):
                yield around, ending(around), frame.replace("%s", kinds.TOKENS[kind](chance))
    else:
        names, make = kinds.ASSIGNED[kind]
        for around, frame in kinds.AROUND_ASSIGNED.items():
            for _ in range(each):
                name = chance.one(*names)
                yield around, ending(around), frame.replace("%n", name).replace("%s", make(chance))


def plant(folder, each, seed):
    """Writes all secrets; what lies where: kind and surroundings by file."""
    planted = {}
    for kind in [kind for group in GROUPS.values() for kind in group]:
        chance = kinds.Chance(random.Random(f"{seed} {kind}"))
        for around, suffix, text in texts(kind, each, chance):
            name = f"{len(planted) // 500}/{len(planted):06}{suffix}"
            planted[name] = (kind, around)
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
    return planted


def packer(program, folder):
    """A run for each folder within, since one tells a thousand warnings at most."""
    found = []
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        command = [program, "dump", "-C", str(part), "-o", "/dev/null"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            sys.exit(f"`{' '.join(map(str, command))}` failed: {done.stderr.strip()[-300:]}")
        found += [(f"{part.name}/{path}", int(line), kind) for line, path, kind in SAID.findall(done.stderr)]
    return found


def detect_secrets(_, folder):
    command = [sys.executable, "-m", "detect_secrets", "scan", "--all-files", "--no-verify", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)["results"]
    return [(path, one["line_number"], one["type"]) for path, all in found.items() for one in all]


def gitleaks(program, folder):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [program, "dir", ".", "--no-banner", "--exit-code", "0", "-f", "json", "-r", report.name]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
        found = json.loads(Path(report.name).read_text() or "[]")
    return [(one["File"], one["StartLine"], one["RuleID"]) for one in found]


def tools(options):
    """Who searches: name, function, and program."""
    yield "packer", packer, options.packer
    if importlib.util.find_spec("detect_secrets"):
        yield "detect-secrets", detect_secrets, None
    if options.gitleaks:
        yield "gitleaks", gitleaks, options.gitleaks


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def share(found, all):
    return f"{100 * found / all:.1f} %"


def tell_found(planted, found):
    """A table of what was found of each kind, and the kinds under 95 % by `packer`."""
    names = list(found)
    counts = collections.Counter(kind for kind, _ in planted.values())
    hits = {name: collections.Counter(planted[path][0] for path in paths) for name, paths in found.items()}
    row("planted", "number", *names)
    row("---", "---:", *["---:"] * len(names))
    for title, group in GROUPS.items():
        total = sum(counts[kind] for kind in group)
        row(f"**{title}**", total, *(share(sum(hits[name][kind] for kind in group), total) for name in names))
        for kind in group:
            row(kind, counts[kind], *(share(hits[name][kind], counts[kind]) for name in names))
    row("**all**", len(planted), *(share(len(found[name]), len(planted)) for name in names))
    low = [kind for kind in counts if hits["packer"][kind] < 0.95 * counts[kind]]
    print(f"\nkinds: {len(counts)}, under 95 %: {', '.join(low) or 'none'}")


def tell_missed(planted, folder, found):
    for path, (kind, around) in planted.items():
        if path not in found:
            print(f"missed: {kind}, {around}: {(folder / path).read_text()[:160]!r}")


def measure_planted(options):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        planted = plant(folder, options.each, options.seed)
        found = {}
        for name, search, program in tools(options):
            said = search(program, folder)
            found[name] = {path.removeprefix("./") for path, _, _ in said} & planted.keys()
            if name == "packer":
                named = {path for path, _, kind in said if kind != "assigned secret"}
        tell_found(planted, found)
        tokens = [path for path, (kind, _) in planted.items() if kind in kinds.TOKENS]
        print(f"tokens named as what they are: {share(len(named & set(tokens)), len(tokens))}")
        if options.list:
            tell_missed(planted, folder, found["packer"])


def measure_real(options):
    print()
    row("real files", "number", *(name for name, _, _ in tools(options)))
    row("---", "---:", *("---:" for _ in tools(options)))
    for group in sorted(path for path in options.real.iterdir() if path.is_dir()):
        files = sum(1 for path in group.rglob("*") if path.is_file())
        said = {name: search(program, group) for name, search, program in tools(options)}
        alarms = (f"{len(found)} ({1000 * len(found) / files:.2f} of 1,000 files)" for found in said.values())
        row(group.name, files, *alarms)
        if options.list:
            tell_said(group, said["packer"])


def tell_said(folder, said):
    for path, line, kind in sorted(said):
        text = (folder / path).read_text(errors="replace").split("\n")[line - 1]
        print(f"said: {path}:{line}: {kind}: {text.strip()[:200]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packer", default=BUILT)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--each", type=int, default=3, help="secrets of each kind in each surroundings")
    parser.add_argument("--real", type=Path)
    parser.add_argument("--gitleaks")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    measure_planted(options)
    if options.real:
        measure_real(options)


if __name__ == "__main__":
    main()
