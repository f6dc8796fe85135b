#!/usr/bin/env python3
"""What many requests cost in one process, and in a process each.

    python3 benches/batch/batch.py target/release/packer REPOSITORY [--requests 100]

The requests have different targets, which are files of the repository taken at even
distances, and different tasks. CPU is that of user and system together, of all threads.
The reports are compared byte for byte; the script fails if one differs.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TASKS = ["Fix the handling of {}", "Add a test for {}", "Rename what `{}` declares", "Speed up {}"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("packer", type=Path)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--requests", type=int, default=100)
    arguments.add_argument("--role", default="implementer")
    arguments.add_argument("--one-by-one", action="store_true", help="also wait for each report before the next line")
    given = arguments.parse_args()
    requests = make(given.repository, given.requests, given.role)
    with tempfile.TemporaryDirectory() as folder:
        run(given, requests, Path(folder))


def make(repository, count, role):
    """Requests for files in a programming language, which are spread over the repository."""
    command = ["git", "-C", repository, "ls-files", "-z"]
    files = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    files = [file for file in files if re.search(r"\.(py|js|ts|tsx|rs|go|java|c|cpp)$", file)]
    made = []
    for number in range(count):
        target = files[number * len(files) // count]
        task = TASKS[number % len(TASKS)].format(Path(target).stem)
        made.append({"role": role, "template": "implement.j2", "task": task, "target": [target]})
    return made


def run(given, requests, folder):
    environment = dict(os.environ, XDG_CACHE_HOME=str(folder))
    packer = [given.packer.resolve(), "-C", given.repository]
    rows = []
    for kind, options in [("cold, without a cache", ["--no-cache"]), ("warm", [])]:
        if not options:
            single(packer, [], requests[0], environment)
        alone = [single(packer, options, request, environment) for request in requests]
        together = batch(packer, options, requests, environment)
        same([report for report, _, _ in alone], together[0])
        cpu = sum(cpu for _, cpu, _ in alone)
        rows.append((f"single runs, {kind}", cpu, cpu, max(peak for _, _, peak in alone)))
        rows.append((f"a batch, {kind}", together[1], cpu, together[2]))
        if given.one_by_one:
            asked = one_by_one(packer, options, requests, environment)
            same([report for report, _, _ in alone], asked[0])
            rows.append((f"a batch, {kind}, one by one", asked[1], cpu, asked[2]))
    print(f"{len(requests)} requests\n")
    print("| | CPU | a request | ÷ single | memory |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, cpu, alone, peak in rows:
        each = 1000 * cpu / len(requests)
        print(f"| {name} | {cpu:.2f} s | {each:.1f} ms | {cpu / alone:.3f} | {peak / 1024:.0f} MiB |")


def single(packer, options, request, environment):
    command = [*packer, *options, "prompt", "--request", "-", "--format", "json"]
    output, cpu, peak = measured(command, json.dumps(request).encode(), environment)
    return digest(output), cpu, peak


def batch(packer, options, requests, environment):
    text = "".join(json.dumps(request) + "\n" for request in requests)
    output, cpu, peak = measured([*packer, *options, "batch"], text.encode(), environment)
    return [digest(line) for line in output.splitlines()], cpu, peak


def one_by_one(packer, options, requests, environment):
    process = start([*packer, *options, "batch"], environment)
    reports = []
    for request in requests:
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        reports.append(digest(process.stdout.readline()))
    process.stdin.close()
    return reports, *used(process)


def digest(report):
    """Stands for a report, whether a single run printed it or a batch. Reports themselves are
    not kept: the system counts for a process what this one had when it was started."""
    fields = json.loads(report)
    for field in ["id", "line"]:
        fields.pop(field, None)
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def measured(command, text, environment):
    with tempfile.TemporaryFile() as given:
        given.write(text)
        given.seek(0)
        process = start(command, environment, given)
        output = process.stdout.read()
    return output, *used(process)


def start(command, environment, given=subprocess.PIPE):
    pipes = {"stdin": given, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env=environment, **pipes)


def used(process):
    """CPU in seconds and the most memory in KiB of a process that has done its work."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"a run failed: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def same(alone, together):
    for number, (one, other) in enumerate(zip(alone, together, strict=True), 1):
        if one != other:
            sys.exit(f"the reports of request {number} differ")


if __name__ == "__main__":
    main()
