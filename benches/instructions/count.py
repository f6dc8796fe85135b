#!/usr/bin/env python3
"""Counts the instructions of five runs of `packer` and compares them with recorded counts.

    cargo build --release
    python3 benches/instructions/count.py target/release/packer

Unlike a time, a count is nearly the same on a busy machine. Fails if one has grown by more
than 5 %. `--record` writes the counts into `recorded.json`; they depend on the compiler, so
there is a record for each version and target. Needs valgrind, git, cargo and rustc.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORDS = HERE / "recorded.json"

# A count that differs by more than this share is told.
TOLERANCE = 0.05

# What the repository is made of: a folder of each crate that `inputs/Cargo.toml` pins.
SOURCES = {
    "git2": "",
    "minijinja": "",
    "serde_json": "",
    "libgit2-sys": "libgit2/src/util",
}

COMMITS = 30
FILES_IN_COMMIT = 3
STAGED = 5

# A role that wants everything, and gets about a third of it.
EVERYTHING = """\
name: everything
description: Wants every file.
system_prompt: You read.
context:
  token_budget: 300000
  include: ["**/*"]
"""

RENDER = [
    "render",
    "implement.j2",
    "--role",
    "implementer",
    "--task",
    "Let a walk over the commits end at a merge base, and say which one it was",
    "--target",
    "git2/src/revwalk.rs",
]

# The cache takes up a file only when it has not changed for three seconds.
SETTLED = 4


def run(*command, cwd=None, env=None):
    done = subprocess.run(command, cwd=cwd, env=env, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"`{' '.join(map(str, command))}` failed:\n{done.stderr.strip()}")
    return done.stdout


def crates():
    """The folder of each crate, by its name; cargo downloads what is missing."""
    manifest = HERE / "inputs" / "Cargo.toml"
    told = run("cargo", "metadata", "--locked", "--format-version", "1",
               "--filter-platform", host(), "--manifest-path", manifest)
    return {crate["name"]: Path(crate["manifest_path"]).parent for crate in json.loads(told)["packages"]}


def rustc():
    """What `rustc -vV` says, by its keys; the version is that of the first line."""
    first, *rest = run("rustc", "-vV").splitlines()
    return {"version": first, **dict(line.split(": ", 1) for line in rest)}


def host():
    return rustc()["host"]


class Repository:
    """A repository that has the same commits whenever and wherever it is made."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main", "--object-format=sha1", "--template=")
        sources = crates()
        for crate, part in SOURCES.items():
            self.copy(sources[crate] / part, folder / crate)
        (folder / "CONTRIBUTING.md").write_text("Every public function has a test.\n")
        self.commit("Add the sources", 0)
        listed = self.git("ls-files", "-z").split("\0")
        files = [path for path in listed if path.endswith((".rs", ".c", ".h"))]
        for number in range(1, COMMITS):
            # Neighbours in the list mostly lie in one folder; 37 spreads the commits.
            first = number * 37 % (len(files) - FILES_IN_COMMIT)
            changed = files[first:first + FILES_IN_COMMIT]
            for path in changed:
                self.edit(path, number)
            self.commit(f"Change {Path(changed[0]).stem} and its neighbours", number)
        for path in files[::len(files) // STAGED][:STAGED]:
            self.edit(path, COMMITS)
        self.git("add", "--all")
        self.head = self.git("rev-parse", "HEAD").strip()

    def copy(self, source, to):
        """Copies the files, but for those of cargo, which begin with a dot."""
        for path in sorted(source.rglob("*")):
            inside = path.relative_to(source)
            if path.is_file() and not any(part.startswith(".") for part in inside.parts):
                (to / inside).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, to / inside)

    def edit(self, path, number):
        with open(self.folder / path, "a", encoding="utf-8") as file:
            file.write(f"// changed in {number}: {Path(path).stem}\n")

    def commit(self, message, day):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--no-verify", "--message", message, day=day)

    def git(self, *arguments, day=0):
        when = f"{1704067200 + day * 86400} +0000"
        settings = ["user.name=Bench", "user.email=bench@localhost", "gc.auto=0", "core.autocrlf=false"]
        env = {
            "PATH": os.environ["PATH"],
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        given = [part for setting in settings for part in ("-c", setting)]
        return run("git", *given, *arguments, cwd=self.folder, env=env)


class Counter:
    """Runs a copy of the program in a folder of its own, where nothing varies but the
    hash tables' seeds: paths are as long, the environment is as small, one processor."""

    def __init__(self, program, work):
        self.work = work
        self.program = work / "packer"
        shutil.copy(program, self.program)
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C",
            "HOME": str(work / "home"),
            "XDG_CACHE_HOME": str(work / "cache"),
            "XDG_CONFIG_HOME": str(work / "config"),
        }
        (work / "home").mkdir()
        (work / "everything.yaml").write_text(EVERYTHING)
        self.repository = Repository(work / "repository")
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def scenarios(self):
        """The arguments of each run, by its name."""
        texts = sorted((self.repository.folder / "minijinja").rglob("*.rs"))
        texts = [str(path.relative_to(self.repository.folder)) for path in texts]
        return {
            "start-up": ["roles", "list"],
            "pack": ["pack", "--role", str(self.work / "everything.yaml"), "--engine", "native"],
            "render cold": [*RENDER, "--no-cache"],
            "render warm": RENDER,
            "tokens": ["tokens", "--tokenizer", "o200k", *texts],
        }

    def fill_cache(self):
        time.sleep(SETTLED)
        self.packer(*RENDER)

    def packer(self, *arguments, before=()):
        return run(*before, self.program, *arguments, cwd=self.repository.folder, env=self.environment)

    def count(self, arguments):
        """The instructions of one run, those of the system not included."""
        out = self.work / "counted"
        self.packer(*arguments, before=[
            "valgrind", "--quiet", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={out}"
        ])
        return total(out.read_text())


def total(text):
    """The sum at the end of what cachegrind writes."""
    for line in reversed(text.splitlines()):
        if line.startswith("summary:"):
            return int(line.split()[1])
    sys.exit("cachegrind wrote no summary")


def compare(recorded, counted):
    """A line for each run, and those that have grown or fallen too much."""
    lines, grown, fallen = [], [], []
    for name, count in counted.items():
        before = recorded.get(name)
        if before is None:
            lines.append(f"{name:<12} {count:>15,}  not recorded")
            fallen.append(name)
            continue
        lines.append(f"{name:<12} {count:>15,}  {count / before - 1:+.2%}")
        if count > before * (1 + TOLERANCE):
            grown.append(name)
        elif count < before * (1 - TOLERANCE):
            fallen.append(name)
    return lines, grown, fallen


def verdict(record, head, counted):
    """What to print about the counts, and the exit code."""
    if record is None:
        lines = [f"{name:<12} {count:>15,}" for name, count in counted.items()]
        lines.append("nothing was compared: there is no record for this toolchain; `--record` makes one")
        return lines, 0
    if record["repository"] != head:
        return ["the repository is not the one that was recorded with: `--record` anew"], 1
    lines, grown, fallen = compare(record["counts"], counted)
    if fallen:
        lines.append(f"fallen or new: {', '.join(fallen)}; `--record` keeps the gain")
    if grown:
        lines.append(f"grown by more than {TOLERANCE:.0%}: {', '.join(grown)}")
    return lines, 1 if grown else 0


def spread(counts):
    """How far the counts of one run lie apart, as a share of the least."""
    return max(counts) / min(counts) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packer", type=Path, help="the built command")
    parser.add_argument("--record", action="store_true", help="write the counts instead of comparing them")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="count each N times, print how far "
                        "the counts lie apart, and take the least")
    given = parser.parse_args()
    compiler = rustc()
    toolchain = f"{compiler['version']}, {compiler['host']}"
    records = json.loads(RECORDS.read_text()) if RECORDS.exists() else {}
    # The names of temporary folders are of one length.
    with tempfile.TemporaryDirectory(prefix="packer-", dir="/tmp") as folder:
        counter = Counter(given.packer, Path(folder))
        counter.fill_cache()
        counts = {}
        for name, arguments in counter.scenarios().items():
            several = [counter.count(arguments) for _ in range(given.runs)]
            counts[name] = min(several)
            if given.runs > 1:
                print(f"{name}: {', '.join(f'{count:,}' for count in several)}; apart {spread(several):.3%}")
        head = counter.repository.head
    print(toolchain)
    used = f"{' '.join(platform.libc_ver())}, {run('valgrind', '--version').strip()}"
    if given.record:
        records[toolchain] = {"with": used, "repository": head, "counts": counts}
        RECORDS.write_text(json.dumps(records, indent=2) + "\n")
    record = records.get(toolchain)
    if record and record["with"] != used:
        print(f"recorded with {record['with']}, counted with {used}: that alone may change a count")
    lines, code = verdict(record, head, counts)
    print("\n".join(lines))
    sys.exit(code)


if __name__ == "__main__":
    main()
