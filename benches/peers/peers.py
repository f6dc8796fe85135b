"""Measures packer beside its peers, and writes the tables of docs/speed.md.

    cargo build --profile dist
    python3 benches/peers/peers.py FOLDER

FOLDER takes the peers, which are installed there from their registries, and the
repositories of corpora.py; it may be used again. Needs git, rg, hyperfine, npm, cargo
and Python's pip, on Unix. With everything in place it takes about ten minutes.
"""

import argparse
import datetime
import json
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import corpora

HERE = Path(__file__).resolve().parent
METER = HERE.parent / "quality" / "meter.py"
DOCS = HERE.parents[1] / "docs" / "speed.md"

YEK = "0.25.5"
CODE2PROMPT = "4.3.0"
FILES_TO_PROMPT = "0.6"
REPOMIX = "1.18.1"

TASK = "Fix the lookup of related managers when a query set is sliced"
TARGET = "django/django/db/models/query.py"
# A hundred and six files.
HUNDRED = "django/django/core"
# A folder that all corpora have would tell nothing of the size of its neighbours; so it
# is put into each of them.
FOLDER = "only/this/folder"
SECONDS = 300
# What takes a few milliseconds is run so often in each round.
SHORT = 30
# What does not write to standard output writes here.
WRITTEN = "written"


def run(command, **more):
    done = subprocess.run(command, text=True, capture_output=True, **more)
    if done.returncode != 0:
        sys.exit(f"`{shlex.join(map(str, command))}` failed:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


def install(folder):
    """Installs the peers of these versions and returns the program of each."""
    cargo, npm, venv = folder / "cargo", folder / "npm", folder / "venv"
    programs = {
        "yek": cargo / "bin" / "yek",
        "code2prompt": cargo / "bin" / "code2prompt",
        "files-to-prompt": venv / "bin" / "files-to-prompt",
        "repomix": npm / "node_modules" / ".bin" / "repomix",
    }
    for name, version in [("yek", YEK), ("code2prompt", CODE2PROMPT)]:
        if not programs[name].exists():
            print(f"building {name}", file=sys.stderr)
            target = folder / "target"
            run(["cargo", "install", "--locked", name, "--version", version, "--root", str(cargo),
                 "--target-dir", str(target)])
    shutil.rmtree(folder / "target", ignore_errors=True)
    if not programs["files-to-prompt"].exists():
        run([sys.executable, "-m", "venv", str(venv)])
        run([venv / "bin" / "pip", "install", "--quiet", f"files-to-prompt=={FILES_TO_PROMPT}"])
    if not programs["repomix"].exists():
        npm.mkdir(parents=True, exist_ok=True)
        (npm / "package.json").write_text("{}\n")
        run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", f"repomix@{REPOMIX}"], cwd=npm)
    return programs


class Meter:
    def __init__(self, rounds, environment):
        self.rounds = rounds
        self.environment = environment

    def measure(self, commands, cwd, runs=1):
        """Runs these commands in turn, so many rounds of so many runs, and returns for each
        the medians of CPU time and time in seconds, and its peak of memory and its output
        in bytes.

        A command is a list of arguments, or a text for a shell.
        """
        texts = {name: c if isinstance(c, str) else shlex.join(map(str, c)) for name, c in commands.items()}
        cpu = {name: [] for name in commands}
        wall = {name: [] for name in commands}
        export = cwd.parent / "hyperfine.json"
        for number in range(self.rounds):
            how_often = ["--warmup", "1" if number == 0 or runs > 1 else "0", "--runs", str(runs)]
            for name, text in texts.items():
                shell = [] if isinstance(commands[name], str) else ["--shell", "none"]
                run(["hyperfine", "--style", "none", *shell, *how_often, "--export-json", export, text],
                    cwd=cwd, env=self.environment)
                result = json.loads(export.read_text())["results"][0]
                cpu[name].append(result["user"] + result["system"])
                wall[name].append(result["median"])
        export.unlink(missing_ok=True)
        rows = {}
        for name, text in texts.items():
            output, written = cwd.parent / "output", cwd.parent / WRITTEN
            written.unlink(missing_ok=True)
            argv = ["sh", "-c", text] if isinstance(commands[name], str) else shlex.split(text)
            took = json.loads(run([sys.executable, METER, str(SECONDS), output, *argv], cwd=cwd, env=self.environment))
            size = sum(file.stat().st_size for file in (output, written) if file.exists())
            rows[name] = dict(cpu=statistics.median(cpu[name]), wall=statistics.median(wall[name]),
                              peak=took["peak"], output=size)
            output.unlink()
        return rows


def seconds(value):
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"


def mib(value):
    return f"{value / 2**20:.1f} MiB" if value < 10 * 2**20 else f"{value / 2**20:.0f} MiB"


def table(rows, base):
    """CPU time, its ratio to that of `base`, time, memory, and output."""
    lines = [f"| | CPU | ÷ {base} | time | memory | output |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, row in rows.items():
        ratio = row["cpu"] / rows[base]["cpu"]
        lines.append(f"| {name} | {seconds(row['cpu'])} | {ratio:.2f} | {seconds(row['wall'])} | "
                     f"{mib(row['peak'])} | {mib(row['output'])} |")
    return "\n".join(lines)


def goal(text, value, limit):
    """A line that says whether a goal is met."""
    word = "met" if value <= limit else "**not met**"
    return f"- {text}: {value:.2f}, the goal is at most {limit:g}: {word}"


def floor(where):
    files = f"rg --files --hidden --glob '!.git' --null {where}".strip()
    return f"{files} | xargs -0 cat"


def count_files(repository):
    return run(["git", "ls-files", "-z"], cwd=repository).count("\0")


def put_folder(repository):
    """Puts the same hundred small files into a repository, unless they are there."""
    folder = repository / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(100):
        path = folder / f"part_{number:02}.py"
        if not path.exists():
            path.write_text(f"def part_{number}(value):\n    return value * {number}\n" * 20)


def measure(packer, programs, repositories, meter):
    """All tables, as Markdown."""
    small, medium, large = (repositories[name] for name in ("small", "medium", "large"))
    yek, code2prompt = programs["yek"], programs["code2prompt"]
    files_to_prompt, repomix = programs["files-to-prompt"], programs["repomix"]
    out = medium.parent / WRITTEN
    dump = [packer, "dump", "--quiet"]
    c2p = [code2prompt, "--hidden", "--output-file", out, "--quiet"]
    mix = [repomix, "--quiet", "--output", out]
    text = []

    def part(title, rows, base):
        print(title, file=sys.stderr)
        text.append(f"### {title}\n\n{table(rows, base)}\n")

    whole = meter.measure({
        "floor": floor(""),
        "packer, Markdown": dump,
        "packer, XML": [*dump, "--style", "xml"],
        "yek": [yek, "--max-size", "1000MB"],
        "code2prompt": [*c2p, "."],
        "files-to-prompt": [files_to_prompt, "."],
        "repomix": mix,
    }, medium)
    part("A whole tree of about 10,000 files", whole, "floor")
    exact = meter.measure({
        "packer, o200k": [*dump, "--tokenizer", "o200k"],
        "yek, tokens": [yek, "--tokens", "100000000"],
        "code2prompt": [*c2p, "."],
    }, medium)
    part("The same with exact counts", exact, "packer, o200k")
    hundred = meter.measure({
        "packer": [*dump, HUNDRED],
        "code2prompt": [*c2p, HUNDRED],
        "repomix": [*mix, "--include", f"{HUNDRED}/**"],
    }, medium)
    part("About a hundred files of it", hundred, "packer")
    # The files have to be older than what a cache relies upon.
    render = [packer, "render", "implement.j2", "--role", "implementer", "--target", TARGET, "--task", TASK, "--quiet"]
    prompts = meter.measure({
        "git status": ["git", "status"],
        "packer render, cold": [*render, "--no-cache"],
        "packer render, warm": render,
    }, medium)
    part("A prompt: `render` with the implementer, a target, imports and related files", prompts, "git status")
    sizes = {}
    by_size = {"1,000": small, "10,000": medium, "100,000": large}
    for name, repository in by_size.items():
        sizes.update(meter.measure({f"{name} files": dump}, repository))
    folders = {f"one folder in {name} files": [packer, "-C", repository, *dump[1:], FOLDER]
               for name, repository in by_size.items()}
    sizes.update(meter.measure(folders, medium, SHORT))
    part("By the size of the tree", sizes, "one folder in 1,000 files")
    start = meter.measure({"packer roles list": [packer, "roles", "list"], "true": ["true"]}, medium, SHORT)
    part("Starting up", start, "true")

    cpu = lambda rows, name: rows[name]["cpu"]
    ours = max(cpu(whole, "packer, Markdown"), cpu(whole, "packer, XML"))
    slowest = max(whole["packer, Markdown"]["wall"], whole["packer, XML"]["wall"])
    per_file = {name: cpu(sizes, f"{name} files") / count_files(repository) for name, repository in by_size.items()}
    goals = [
        goal("whole tree, CPU ÷ floor", ours / cpu(whole, "floor"), 1.5),
        goal("whole tree, time ÷ yek", slowest / whole["yek"]["wall"], 1),
        goal("whole tree, CPU × 10 ÷ code2prompt", 10 * ours / cpu(whole, "code2prompt"), 1),
        goal("whole tree, CPU × 10 ÷ files-to-prompt", 10 * ours / cpu(whole, "files-to-prompt"), 1),
        goal("whole tree, CPU × 10 ÷ repomix", 10 * ours / cpu(whole, "repomix"), 1),
        goal("a hundred files, CPU × 50 ÷ repomix", 50 * cpu(hundred, "packer") / cpu(hundred, "repomix"), 1),
        goal("a hundred files, CPU × 8 ÷ code2prompt", 8 * cpu(hundred, "packer") / cpu(hundred, "code2prompt"), 1),
        goal("exact counts, CPU × 2 ÷ code2prompt", 2 * cpu(exact, "packer, o200k") / cpu(exact, "code2prompt"), 1),
        goal("exact counts, CPU × 2 ÷ yek", 2 * cpu(exact, "packer, o200k") / cpu(exact, "yek, tokens"), 1),
        goal("a warm prompt, CPU ÷ git status", cpu(prompts, "packer render, warm") / cpu(prompts, "git status"), 3),
        goal("a cold prompt, CPU in ms", 1000 * cpu(prompts, "packer render, cold"), 150),
        goal("one folder, time in 100,000 files ÷ in 1,000",
             sizes["one folder in 100,000 files"]["wall"] / sizes["one folder in 1,000 files"]["wall"], 1.1),
        goal("100,000 files, CPU for a file ÷ with 10,000", per_file["100,000"] / per_file["10,000"], 1.25),
        goal("100,000 files, memory in MB", sizes["100,000 files"]["peak"] / 1e6, 100),
        goal("starting up, CPU in ms", 1000 * cpu(start, "packer roles list"), 3),
    ]
    return "\n".join(text) + "\n### The goals\n\n" + "\n".join(goals) + "\n"


def put(document, written):
    """Puts what was measured into a document, in place of what stands there."""
    put_between("measured", document, written)


def put_between(mark, document, written):
    """The same for a document with more than one such place."""
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->"
    before, rest = document.read_text().split(begin)
    _, after = rest.split(end)
    document.write_text(f"{before}{begin}\n{written}\n{end}{after}")


def machine():
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{os.cpu_count()} cores, {round(total / 2**30)} GiB, {platform.system()} on {platform.machine()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packer", type=Path, default=HERE.parents[1] / "target/dist/packer")
    parser.add_argument("--rounds", type=int, default=5, help="how often each command is run [default: 5]")
    parser.add_argument("--print", action="store_true", help="print the tables and leave the docs alone")
    given = parser.parse_args()
    for name in ("git", "rg", "hyperfine", "npm", "cargo"):
        if shutil.which(name) is None:
            sys.exit(f"`{name}` is not installed")
    folder, packer = given.folder.resolve(), given.packer.resolve()
    programs = install(folder / "peers")
    repositories = {name: corpora.make(name, folder / "corpora") for name in corpora.CORPORA}
    for repository in repositories.values():
        put_folder(repository)
    environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"), LC_ALL="C.UTF-8")
    shutil.rmtree(folder / "cache", ignore_errors=True)
    tables = measure(packer, programs, repositories, Meter(given.rounds, environment))
    versions = (f"packer {run([packer, '--version']).split()[-1]}, yek {YEK}, code2prompt {CODE2PROMPT}, "
                f"files-to-prompt {FILES_TO_PROMPT}, repomix {REPOMIX}, {run(['git', '--version']).strip()}, "
                f"{run(['rg', '--version']).splitlines()[0]}")
    head = (f"{datetime.date.today().isoformat()}, {machine()}; {versions}. "
            f"Medians of {given.rounds} rounds, in each of which every command is run in turn.\n")
    written = f"{head}\n{tables}"
    if given.print:
        print(written)
        return
    put(DOCS, written)


if __name__ == "__main__":
    main()
