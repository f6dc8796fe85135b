"""Looks at what packer and its peers do, and writes the tables of docs/comparison.md.

    cargo build --profile dist
    python3 benches/peers/features.py FOLDER

FOLDER takes the peers, as peers.py installs them, and gitingest and aider. Every cell of the
first table is what a run in the same small repository shows; every option of the second is one
that the tool's own help names. Needs what peers.py needs but for hyperfine and rg.
"""

import argparse
import datetime
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import peers

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs" / "comparison.md"
GITINGEST = "0.3.1"
AIDER = "0.86.2"

# What is looked for in what a tool writes.
IGNORED, OUTSIDE, KEY = "of-an-ignored-file", "of-a-file-outside", "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
TRAP = "behind-the-fence"
BUDGET = 2000
LIMIT = 120


def install(folder):
    """The peers' programs by their names."""
    programs = peers.install(folder)
    for name, version, package in [("gitingest", GITINGEST, "gitingest"), ("aider", AIDER, "aider-chat")]:
        venv = folder / name
        programs[name] = venv / "bin" / name
        if not programs[name].exists():
            print(f"installing {name}", file=sys.stderr)
            peers.run([sys.executable, "-m", "venv", str(venv)])
            peers.run([venv / "bin" / "pip", "install", "--quiet", f"{package}=={version}"])
    return programs


def make(root):
    """A repository in which there is something to be looked at."""
    files = {
        "src/app.py": "from src.store import load\n\n\ndef main():\n    return load('x')\n",
        "src/store.py": "def load(name):\n    '''Reads an order.'''\n    return open(name).read()\n",
        "src/keys.py": f"TOKEN = '{KEY}'\n",
        "trap.md": f"# Trap\n\n```\ncode\n```\n\n````\nmore\n````\n\n{TRAP}\n",
        ".gitignore": "ignored.txt\n",
        "ignored.txt": f"{IGNORED}\n",
        **{f"lib/part_{at:03}.py": f"def part_{at}(value):\n    return value * {at}\n" * 20 for at in range(80)},
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root.parent / "outside.txt").write_text(f"{OUTSIDE}\n")
    (root / "link.txt").symlink_to("../outside.txt")
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "All"]
    for command in [["git", "init", "--quiet"], ["git", "add", "."], commit]:
        peers.run(command, cwd=root)


class Tool:
    """A program, and how it is asked for all of a repository and for a part."""

    def __init__(self, program, version, whole, within=None):
        self.program, self.version, self.whole, self.within = program, version, whole, within

    def run(self, root, words):
        """What it writes, and what it says."""
        written = root.parent / "written"
        written.unlink(missing_ok=True)
        words = [word.replace("OUT", str(written)) for word in words]
        environment = {**os.environ, "HOME": str(root.parent / "home"), "NO_COLOR": "1", "COLUMNS": "200"}
        done = subprocess.run([str(self.program), *words], cwd=root, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, errors="replace")
        if done.returncode != 0:
            sys.exit(f"{self.program} {' '.join(words)} failed:\n{done.stderr[-2000:]}")
        if written.exists():
            return written.read_text(errors="replace"), done.stdout + done.stderr
        # What is said before a map stands in the same place.
        begin = done.stdout.find("Here are summaries")
        return done.stdout[max(begin, 0):], done.stderr

    def help(self):
        done = subprocess.run([str(self.program), "--help"], text=True, capture_output=True,
                              env={**os.environ, "COLUMNS": "200"})
        return done.stdout + done.stderr


class Packer(Tool):
    """Its help is that of all its commands."""

    def help(self):
        commands = re.findall(r"^  ([a-z]+) {2,}", super().help(), re.M)
        each = [subprocess.run([str(self.program), command, "--help"], text=True, capture_output=True).stdout
                for command in commands]
        return super().help() + "".join(each)


def tools(packer, programs):
    mix = ["--style", "markdown", "--output", "OUT"]
    map_ = ["--show-repo-map", "--no-check-update", "--no-analytics", "--yes-always", "--model", "gpt-4o",
            "--no-gitignore", "--map-multiplier-no-files", "1", "--map-tokens"]
    prompt = ["prompt", "--role", "implementer", "--task", "Mend how the app loads an order",
              "--target", "src/app.py", "--tokenizer", "o200k", "--budget", str(BUDGET)]
    return {
        "packer": Packer(packer, peers.run([packer, "--version"]).split()[-1], ["dump"], prompt),
        "repomix": Tool(programs["repomix"], peers.REPOMIX, mix),
        "code2prompt": Tool(programs["code2prompt"], peers.CODE2PROMPT, [".", "--output-file", "OUT", "--quiet"]),
        "yek": Tool(programs["yek"], peers.YEK, [], ["--tokens", str(BUDGET)]),
        "files-to-prompt": Tool(programs["files-to-prompt"], peers.FILES_TO_PROMPT, [".", "--markdown"]),
        "gitingest": Tool(programs["gitingest"], GITINGEST, [".", "--output", "-"]),
        "aider's map": Tool(programs["aider"], AIDER, [*map_, "100000"], [*map_, str(BUDGET)]),
    }


def in_a_fence(text, wanted):
    """Whether a text stands in a fenced block, as CommonMark has it; nothing if there are none."""
    fence = ""
    seen = False
    for line in text.splitlines():
        signs = re.match(r" {0,3}(`{3,}|~{3,})(.*)", line)
        if wanted in line:
            return bool(fence) if seen or fence else None
        if signs and not fence and "`" not in signs[2]:
            fence, seen = signs[1], True
        elif signs and fence and signs[1].startswith(fence) and not signs[2].strip():
            fence = ""
    return None


def count(packer, text):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        words = [packer, "tokens", "--tokenizer", "o200k", "--format", "json", file.name]
        return sum(int(found) for found in re.findall(r'"tokens": (\d+)', peers.run(words))[:1])


def tried(packer, each, root):
    """The rows of what was tried: a heading, and a cell for each tool."""
    rows = {name: [] for name in ("keeps to 2,000 tokens", "a link that leads out of the repository",
                                  "a file that git ignores", "a token of GitHub's",
                                  "a text that closes its fence", "the same input twice")}
    for name, tool in each.items():
        text, said = tool.run(root, tool.whole)
        again, _ = tool.run(root, tool.whole)
        if tool.within:
            part, _ = tool.run(root, tool.within)
            tokens = count(packer, part)
            store = " and has the file that the target imports" if "Reads an order" in part else ""
            cell = f"yes: {tokens:,}{store}" if tokens <= BUDGET else f"no: {tokens:,}"
        else:
            cell = "has no budget"
        fence = in_a_fence(text, TRAP)
        warned = re.search(r"secret|suspicious|sensitive|token of", said, re.I)
        cells = [
            cell,
            "is followed" if OUTSIDE in text else "is not followed",
            "is in" if IGNORED in text else "is left out",
            ("is in, with a warning" if warned else "is in, without a word") if KEY in text
            else ("is left out, with a warning" if warned else "is not in"),
            "has no fences" if fence is None else "stays inside" if fence else "breaks out",
            "the same bytes" if text == again else "other bytes",
        ]
        for row, value in zip(rows.values(), cells):
            row.append(value)
    return rows


# What each tool has, by the option that says so; where there is none, nobody found one.
OPTIONS = {
    "chooses by a task": {"packer": "--task"},
    "what a file imports": {"packer": "--target"},
    "a map of the repository's declarations": {"packer": ("`$REPO_MAP`", None), "aider's map": "--map-tokens",
                                               "repomix": "--compress"},
    "a token budget": {"packer": "--budget", "yek": "--tokens", "aider's map": "--map-tokens"},
    "exact counts": {"packer": "--tokenizer", "repomix": "--token-count-encoding", "code2prompt": "--encoding"},
    "templates": {"packer": ("`render TEMPLATE`", "render"), "code2prompt": "--template", "yek": "--output-template"},
    "a diff": {"packer": "--base", "repomix": "--include-diffs", "code2prompt": "--diff"},
    "history": {"packer": ("`recent_commits`", None), "repomix": "--include-logs", "code2prompt": "--git-log-branch"},
    "says why a file is in": {"packer": ("`explain`", "explain")},
    "a report as JSON": {"packer": "--format", "repomix": "--style", "code2prompt": "--output-format",
                         "yek": "--json"},
    "messages for a model, with places to remember": {"packer": "--cache-points"},
    "goes on from an earlier prompt": {"packer": "--since"},
    "many prompts in one process": {"packer": ("`batch`", "batch"), "repomix": "--mcp"},
    "the Model Context Protocol": {"packer": ("`mcp`", "mcp"), "repomix": "--mcp"},
    "a page in the browser": {"packer": ("`preview`", "preview"), "aider's map": "--gui"},
    "a remote repository": {"repomix": "--remote", "gitingest": "--branch"},
    "the clipboard": {"repomix": "--copy", "code2prompt": "--clipboard"},
    "chats and edits": {"aider's map": "--message"},
}


def options(each):
    helps = {name: tool.help() for name, tool in each.items()}
    rows = {}
    for title, has in OPTIONS.items():
        row = []
        for name in each:
            shown = has.get(name)
            if shown is None:
                row.append("–")
                continue
            shown, needle = shown if isinstance(shown, tuple) else (f"`{shown}`", shown)
            if needle and not re.search(rf"(?<![\w-]){re.escape(needle)}(?![\w-])", helps[name]):
                sys.exit(f"the help of {name} does not name {needle}")
            row.append(shown)
        rows[title] = row
    return rows


def table(each, rows):
    lines = [f"| | {' | '.join(each)} |", "| --- " * (len(each) + 1) + "|"]
    lines += [f"| {title} | {' | '.join(cells)} |" for title, cells in rows.items()]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packer", type=Path, default=HERE.parents[1] / "target/dist/packer")
    parser.add_argument("--print", action="store_true", help="print the tables and leave the docs alone")
    given = parser.parse_args()
    packer = given.packer.resolve()
    each = tools(packer, install(given.folder.resolve() / "peers"))
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "repository"
        root.mkdir()
        make(root)
        first = table(each, tried(packer, each, root))
    second = table(each, options(each))
    versions = ", ".join(f"{name.removesuffix(chr(39) + 's map')} {tool.version}" for name, tool in each.items())
    head = f"{datetime.date.today().isoformat()}: {versions}."
    written = f"{head}\n\n### What was tried\n\n{first}\n\n### What there is\n\n{second}\n"
    if given.print:
        print(written)
        return
    peers.put(DOCS, written)


if __name__ == "__main__":
    main()
