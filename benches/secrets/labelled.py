"""How many of the secrets that people have labelled are told, and how many of those that are none.

    python3 benches/secrets/labelled.py CREDDATA CLONES [--packer PROGRAM] [--list T|F]

`CREDDATA` is a checkout of https://github.com/Samsung/CredData, which says of lines of some three
hundred repositories whether a secret stands there. `CLONES` has clones of some of these, each
called `OWNER+NAME`, with the commit that CredData names. Of each labelled line the thirty before
it and nine behind it are searched, so that no warning is one of too many in a file. Identifiers
(UUID) and nonces alone are not counted. `--list` prints what was labelled as a secret and is not
told (T), or as none and is (F).
"""

import argparse
import binascii
import csv
import hashlib
import io
import json
import re
import subprocess
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

BEFORE, BEHIND = 30, 9
NOT_COUNTED = {"UUID", "Nonce"}
TOLD = re.compile(r"warning: lines? (\d+)(?: and (\d+))? of `(\d+)/.*` looks? like")


def sources(clone, commit):
    """The files of a commit, by the name that CredData has for their paths."""
    packed = subprocess.run(["git", "-C", clone, "archive", commit], capture_output=True, check=False).stdout
    # A file that the clone lacks ends the archive.
    with tarfile.open(fileobj=io.BytesIO(packed), ignore_zeros=True) as archive:
        try:
            for member in archive:
                if member.isfile():
                    name = hashlib.sha256(member.name.encode()).hexdigest()[:8]
                    yield name, member.name, archive.extractfile(member).read()
        except tarfile.ReadError:
            return


def labels(rows):
    """Each labelled line with where it ends: `T` if any label says so, `F` if all do."""
    lines = {}
    for row in rows:
        if not NOT_COUNTED.issuperset(row["Category"].split(":")):
            lines.setdefault((int(row["LineStart"]), int(row["LineEnd"])), set()).add(row["GroundTruth"])
    for place, said in lines.items():
        if "T" in said or said == {"F"}:
            yield place, "T" if "T" in said else "F"


def told(packer, name, text, places):
    """Of these places those in which something is told."""
    lines = text.split("\n")
    found = set()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".git").mkdir()
        for at, (start, end) in enumerate(places):
            piece = Path(folder) / str(at) / name
            piece.parent.mkdir()
            piece.write_text("\n".join(lines[max(0, start - 1 - BEFORE) : end + BEHIND]) + "\n")
        for at, (start, end) in enumerate(places):
            command = [packer, "-C", folder, "--no-cache", "dump", f"{at}/**", "-o", "/dev/null"]
            said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
            first = max(0, start - 1 - BEFORE)
            for warning in TOLD.finditer(said):
                shown = {first + int(line) for line in warning.groups()[:2] if line}
                if shown.intersection(range(start, end + 1)):
                    found.add((start, end))
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("creddata", type=Path)
    arguments.add_argument("clones", type=Path)
    arguments.add_argument("--packer", default="target/release/packer")
    arguments.add_argument("--list", choices=["T", "F"])
    given = arguments.parse_args()
    given.packer = str(Path(given.packer).resolve())
    repositories = json.loads((given.creddata / "snapshot.json").read_text())
    counts, cloned = Counter(), 0
    for identifier, address in repositories.items():
        clone = given.clones / "+".join(address.split("/")[-2:])
        if not clone.is_dir():
            continue
        cloned += 1
        short = f"{binascii.crc32(binascii.unhexlify(identifier)):08x}"
        with (given.creddata / "meta" / f"{short}.csv").open() as meta:
            rows = {}
            for row in csv.DictReader(meta):
                rows.setdefault(row["FileID"], []).append(row)
        for name, path, content in sources(clone, identifier[:40]):
            try:
                text = content.decode()
            except UnicodeDecodeError:
                continue
            places = dict(labels(rows.get(name, [])))
            found = told(given.packer, Path(path).name, text, list(places)) if places else set()
            for place, label in places.items():
                counts[label, place in found] += 1
                if given.list == label and (place in found) == (label == "F"):
                    print(f"{clone.name}/{path}:{place[0]}: {text.split(chr(10))[place[0] - 1].strip()[:160]}")
    for label, meaning in (("T", "labelled as secrets"), ("F", "labelled as none")):
        all_of_them = counts[label, True] + counts[label, False]
        print(f"{meaning}: {counts[label, True]} of {all_of_them} told, in {cloned} repositories")


if __name__ == "__main__":
    main()
