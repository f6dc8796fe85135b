"""Real files on which a search for secrets should stay silent.

    python3 benches/secrets/real.py FOLDER

Unpacks published packages into `FOLDER/ordinary` and `FOLDER/of-keys`, a folder for each, and of
each at most `MOST` files, chosen by chance with a fixed seed. What is there already is kept.
Needs Python's pip, npm and cargo; Debian's packages are taken where there is apt.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

# Of one package, so that none decides about the figures.
MOST = 220
LARGEST = 1_000_000

# Programs and libraries of many kinds, with databases, clouds and the web among them.
ORDINARY = {
    "wheel": """django flask requests sqlalchemy boto3 botocore ansible-core fastapi celery scrapy twisted aiohttp
        stripe twilio openai anthropic kubernetes azure-identity sentry-sdk tornado numpy pandas sympy matplotlib
        networkx scikit-learn sphinx plotly""",
    "source": "requests flask werkzeug httpx urllib3 pytest rich pydantic",
    "npm": """express webpack aws-sdk firebase-admin stripe next eslint mongoose sequelize typeorm nodemailer openai
        discord.js socket.io rxjs svelte axios @slack/web-api @octokit/rest @azure/storage-blob lodash typescript
        core-js vue three antd prettier""",
    "crate": """reqwest tokio actix-web axum sqlx git2 diesel clap octocrab mongodb redis tokio-postgres lettre
        serde_json regex rayon image syn bevy_ecs cranelift-codegen""",
    "debian": """golang-github-aws-aws-sdk-go-dev wordpress phpmyadmin redmine golang-google-api-dev ruby-rack
        golang-golang-x-tools-dev golang-github-prometheus-client-golang-dev ruby-activerecord vim-runtime
        perl-modules-5.36""",
}
# Those whose subject is keys, passwords and tokens: their tests and documents are full of them.
OF_KEYS = {
    "wheel": "paramiko cryptography google-auth passlib oauthlib mitmproxy",
    "source": "oauthlib paramiko authlib pyjwt itsdangerous keyring python-jose",
    "npm": "jsonwebtoken ssh2 node-forge",
    "crate": "rustls jsonwebtoken ssh-key oauth2 russh age",
    "debian": "golang-golang-x-crypto-dev ruby-devise ruby-omniauth php-symfony-security-bundle",
}


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, text=True, capture_output=True)
    if done.returncode != 0:
        raise OSError(f"`{' '.join(map(str, command))}` failed: {done.stderr.strip()[-200:]}")


def unpack(archive, into):
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(into)
    elif archive.suffix == ".deb":
        run("dpkg-deb", "-x", str(archive), str(into))
    else:
        with tarfile.open(archive) as opened:
            opened.extractall(into, filter="data")


def pip(name, folder, *options):
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options, "--dest", str(folder), name)


def crate(name, folder):
    """The crate without what it needs: cargo vendors all, and the others are removed."""
    (folder / "src").mkdir()
    (folder / "src/lib.rs").touch()
    manifest = f'[package]\nname = "x"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{name} = "*"\n'
    (folder / "Cargo.toml").write_text(manifest)
    run("cargo", "vendor", "--quiet", "--versioned-dirs", "vendor", cwd=folder)
    for found in (folder / "vendor").glob(f"{name}-[0-9]*"):
        return found
    raise OSError(f"cargo did not vendor `{name}`")


WAYS = {
    "wheel": lambda name, folder: pip(name, folder, "--only-binary", ":all:"),
    "source": lambda name, folder: pip(name, folder, "--no-binary", ":all:"),
    "npm": lambda name, folder: run("npm", "pack", "--silent", "--ignore-scripts", name, cwd=folder),
    "debian": lambda name, folder: run("apt-get", "download", "--quiet", "-o", "APT::Sandbox::User=root", name, cwd=folder),
}


def fetched(way, name, folder):
    """The unpacked package, in `folder`."""
    if way == "crate":
        return crate(name, folder)
    WAYS[way](name, folder)
    archive = next(path for path in folder.iterdir() if path.is_file())
    unpack(archive, folder / "unpacked")
    return folder / "unpacked"


def is_text(path):
    if path.is_symlink() or not path.is_file() or not 0 < path.stat().st_size <= LARGEST:
        return False
    content = path.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def keep(package, into):
    """Copies as many files as count, chosen by chance, but always the same."""
    texts = sorted(path for path in package.rglob("*") if is_text(path))
    random.Random(into.name).shuffle(texts)
    fresh = into.with_name(into.name + ".part")
    shutil.rmtree(fresh, ignore_errors=True)
    for path in texts[:MOST]:
        copy = fresh / path.relative_to(package)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    fresh.rename(into)


def wanted():
    for group, packages in ("ordinary", ORDINARY), ("of-keys", OF_KEYS):
        for way, names in packages.items():
            for name in names.split():
                yield group, way, name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    for group, way, name in wanted():
        into = folder / group / f"{way}-{name.replace('/', '-').replace('@', '')}"
        if into.is_dir():
            continue
        into.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            try:
                keep(fetched(way, name, Path(scratch)), into)
            except (OSError, StopIteration, tarfile.TarError) as error:
                print(f"{into.name} is left out: {error}", file=sys.stderr)
    for group in "ordinary", "of-keys":
        print(group, sum(1 for path in (folder / group).rglob("*") if path.is_file()), "files")


if __name__ == "__main__":
    main()
