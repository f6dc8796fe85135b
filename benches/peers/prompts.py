"""Measures what prompts cost in large repositories, and writes the tables of docs/speed.md.

    cargo build --release
    python3 benches/peers/prompts.py FOLDER

FOLDER takes the repositories of corpora.py; it may be used again. Needs git, rg, hyperfine
and Python's pip and npm for the packages, on Unix. With everything in place it takes about
five minutes.
"""

import argparse
import datetime
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import corpora
from peers import HERE, SHORT, TARGET, TASK, Meter, floor, goal, machine, put_between, run, table

DOCS = HERE.parents[1] / "docs" / "speed.md"
WORDS = "ten words that say nothing but how long it takes"
# What was changed a moment ago may change again unseen, and is read in each run.
SETTLED = 4
REQUESTS = 40


def clone(repository, folder):
    """A copy of a repository with a work tree of its own, in which may be committed."""
    shutil.rmtree(folder, ignore_errors=True)
    run(["git", "clone", "--quiet", "--no-hardlinks", str(repository), str(folder)])
    # Its index has the states of its own files.
    run(["git", "status"], cwd=folder)
    time.sleep(SETTLED)
    return folder


def change(repository):
    """Commits a change of twenty files."""
    listed = run(["git", "ls-files", "-z", "*.py"], cwd=repository).split("\0")[:-1]
    changed = listed[:: len(listed) // 20][:20]
    for path in changed:
        with open(repository / path, "a", encoding="utf-8") as file:
            file.write("# changed once more\n")
    run(["git", "add", *changed], cwd=repository)
    corpora.commit(repository, "Change twenty files", 1000)
    time.sleep(SETTLED)


def batch(packer, repository, requests, environment):
    """CPU time of a request of a batch, in seconds, when all of it is warm."""
    files = run(["git", "ls-files", "-z", "django/*.py"], cwd=repository).split("\0")[:-1]
    targets = files[:: len(files) // requests][:requests]
    lines = [json.dumps({"id": str(n), "role": "implementer", "task": TASK, "target": [target]})
             for n, target in enumerate(targets)]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "requests").write_text("\n".join(lines) + "\n")
        command = f"{packer} -C {repository} batch < {folder}/requests > {folder}/reports"
        spent = []
        for _ in range(2):
            before = os.times()
            run(["sh", "-c", command], env=environment)
            after = os.times()
            spent.append(sum(after[2:4]) - sum(before[2:4]))
        return spent[-1] / len(targets)


def disk(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(packer, folder, repositories, meter):
    """All tables, as Markdown."""
    medium, large = repositories
    cache = Path(meter.environment["XDG_CACHE_HOME"])
    text, goals = [], []

    def part(title, rows, base):
        print(title, file=sys.stderr)
        text.append(f"### {title}\n\n{table(rows, base)}\n")

    cpu = lambda rows, name: rows[name]["cpu"]
    tokens = meter.measure({name: f"echo {WORDS} | {packer} tokens --tokenizer {name} -" for name in ("chars", "o200k")},
                           medium, SHORT)
    part("Ten words, counted", tokens, "chars")
    goals += [goal("o200k of ten words, CPU in ms", 1000 * cpu(tokens, "o200k"), 8),
              goal("the same, memory above `chars` in MB", (tokens["o200k"]["peak"] - tokens["chars"]["peak"]) / 1e6, 20)]

    render = [packer, "render", "implement.j2", "--role", "implementer", "--target", TARGET, "--task", TASK, "--quiet"]
    status = {"git status": ["git", "status"]}
    cold = meter.measure({"floor": floor(""), "render, cold": [*render, "--no-cache"]}, medium)
    part("A prompt in 10,000 files, cold", cold, "floor")
    warm = meter.measure({
        **status,
        "render": render,
        "render, o200k": [*render, "--tokenizer", "o200k"],
    }, medium)
    part("The same, warm", warm, "git status")
    changed = clone(medium, folder / "changed")
    meter.measure({"first": render}, changed)
    change(changed)
    after = meter.measure({**status, "render": render}, changed)
    part("After a commit of twenty files", after, "git status")
    role = folder / "map.yaml"
    role.write_text("name: map\ndescription: d\nsystem_prompt: s\ncontext: {include: [$REPO_MAP]}\n")
    shown = [packer, "pack", "--role", role, "--task", TASK, "--quiet"]
    maps = meter.measure({"map, cold": [*shown, "--no-cache"], "map, warm": shown}, medium)
    part("The repository map", maps, "map, warm")
    goals += [
        goal("warm render, o200k ÷ chars", cpu(warm, "render, o200k") / cpu(warm, "render"), 1.3),
        goal("warm render ÷ git status", cpu(warm, "render") / cpu(warm, "git status"), 1),
        goal("after a commit of twenty files ÷ git status", cpu(after, "render") / cpu(after, "git status"), 1.3),
        goal("cold render, CPU ÷ floor", cpu(cold, "render, cold") / cpu(cold, "floor"), 2),
        goal("cold render, time ÷ floor's", cold["render, cold"]["wall"] / cold["floor"]["wall"], 1),
        goal("the map, cold, CPU in s", cpu(maps, "map, cold"), 1.5),
        goal("the map, warm ÷ warm render", cpu(maps, "map, warm") / cpu(warm, "render"), 1.2),
    ]
    prompt = [packer, "prompt", "--role", "implementer", "--task", TASK, "--quiet"]
    first = meter.measure({"floor": floor(""), "prompt, cold": [*prompt, "--no-cache"]}, large)
    part("A prompt without a target in 90,000 files, cold", first, "floor")
    before = disk(cache)
    then = meter.measure({**status, "prompt": prompt}, large)
    part("The same, warm", then, "git status")
    goals += [
        goal("90,000 files, cold, CPU ÷ floor", cpu(first, "prompt, cold") / cpu(first, "floor"), 3),
        goal("90,000 files, warm ÷ git status", cpu(then, "prompt") / cpu(then, "git status"), 1.5),
        goal("90,000 files, warm, memory in MB", then["prompt"]["peak"] / 1e6, 100),
        goal("90,000 files, the cache in MB", (disk(cache) - before) / 1e6, 250),
    ]
    request = batch(packer, medium, REQUESTS, meter.environment)
    goals.append(goal("a request of a batch, warm, CPU in ms", 1000 * request, 15))
    return "\n".join(text) + "\n### The goals of prompts\n\n" + "\n".join(goals) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packer", type=Path, default=HERE.parents[1] / "target/release/packer")
    parser.add_argument("--rounds", type=int, default=5, help="how often each command is run [default: 5]")
    parser.add_argument("--print", action="store_true", help="print the tables and leave the docs alone")
    given = parser.parse_args()
    for name in ("git", "rg", "hyperfine"):
        if shutil.which(name) is None:
            sys.exit(f"`{name}` is not installed")
    folder, packer = given.folder.resolve(), given.packer.resolve()
    repositories = [corpora.make(name, folder / "corpora") for name in ("medium", "large")]
    environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache-of-prompts"), LC_ALL="C.UTF-8")
    shutil.rmtree(environment["XDG_CACHE_HOME"], ignore_errors=True)
    Path(environment["XDG_CACHE_HOME"]).mkdir(parents=True)
    tables = measure(packer, folder, repositories, Meter(given.rounds, environment))
    head = (f"{datetime.date.today().isoformat()}, {machine()}; packer {run([packer, '--version']).split()[-1]} "
            f"(`{packer.parent.name}`), {run(['git', '--version']).strip()}, "
            f"{run(['rg', '--version']).splitlines()[0]}. Medians of {given.rounds} rounds, "
            f"in each of which every command is run in turn.\n")
    if given.print:
        print(f"{head}\n{tables}")
        return
    put_between("prompts", DOCS, f"{head}\n{tables}")


if __name__ == "__main__":
    main()
