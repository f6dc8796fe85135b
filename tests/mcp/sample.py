"""A small repository to serve, with all around it that must not come out."""
import os
import shutil
import subprocess
import tempfile

PLUS = '/// Adds one.\npub fn plus(value: u64) -> u64 {\n    value + 1\n}\n'
MAIN = 'use sample::plus;\n\nfn main() {\n    println!("{}", plus(1));\n}\n'
CONSTITUTION = '# Constitution\n\nNever panic.\n'
TASKS = '# Tasks\n\n' + ''.join(f'- Task {n} is still to be done by somebody.\n' for n in range(60))
AUDITOR = '''name: auditor
description: Looks for sums that overflow.
extends: implementer
system_prompt: You read sums.
context:
  token_budget: 9000
'''
# What stands in the files that nobody may read.
OUTSIDE = 'This is kept outside.'
BINARY = 'This is kept in a binary file.'
SECRETS = [OUTSIDE, BINARY]


def packer():
    """The program that is tested."""
    given = os.environ.get('PACKER') or 'target/debug/packer'
    found = shutil.which(given)
    if not found:
        raise SystemExit(f'there is no program `{given}`; the variable PACKER says where it is')
    return os.path.abspath(found)


class Sample:
    """A temporary folder with a repository and a home folder; gone when it is left."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix='packer-mcp-')
        self.folder = os.path.realpath(self.temporary.name)
        self.repo = os.path.join(self.folder, 'repo')
        self.home = os.path.join(self.folder, 'home')
        os.makedirs(self.home)
        for path, text in {
            'repo/src/lib.rs': PLUS,
            'repo/src/main.rs': MAIN,
            'repo/Cargo.toml': '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n',
            'repo/AGENTS.md': '# Conventions\n\nEvery function has a test.\n',
            'repo/.context/CONSTITUTION.md': CONSTITUTION,
            'repo/.context/TASKS.md': TASKS,
            'repo/.packer/roles/auditor.yaml': AUDITOR,
            'repo/.packer/roles/broken.yaml': 'name: broken\ncontext: [\n',
            'repo/image.bin': BINARY + '\0\1\2\3',
            'outside.txt': OUTSIDE + '\n',
            'outside.yaml': f'name: outside\ndescription: {OUTSIDE}\nsystem_prompt: {OUTSIDE}\n',
            'more-roles/visitor.yaml': 'name: visitor\ndescription: Comes from another folder.\nextends: planner\n',
        }.items():
            self.write(path, text)
        for link, to in {
            'repo/src/way_out.txt': '../../outside.txt',
            'repo/src/folder_out': '../..',
            'repo/.context/LEARNINGS.md': '../../outside.txt',
            'repo/.packer/roles/linked.yaml': '../../../outside.yaml',
        }.items():
            os.symlink(to, os.path.join(self.folder, link))
        self.git('init', '-q', '-b', 'main')
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'one')
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def write(self, path, text):
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, 'w') as out:
            out.write(text)

    def environment(self):
        """What the program finds set: no roles, cache or settings of whoever runs the test."""
        return {'HOME': self.home, 'PATH': os.environ.get('PATH', os.defpath)}

    def git(self, *arguments):
        settings = ['-c', 'commit.gpgsign=false', '-c', 'core.hooksPath=/dev/null', '-c', 'user.name=A Person',
                    '-c', 'user.email=a@example.org']
        subprocess.run(['git', '-C', self.repo, *settings, *arguments], check=True, capture_output=True,
                       env={**os.environ, 'HOME': self.home, 'GIT_CONFIG_NOSYSTEM': '1'})

    def contents(self):
        """Every file of the repository with its bytes, Git's own included."""
        found = {}
        for folder, _, names in os.walk(self.repo):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, 'rb') as file:
                    found[os.path.relpath(path, self.repo)] = file.read()
        return found


class Checks:
    """Counts what holds, and says what does not."""

    def __init__(self):
        self.passed = self.failed = 0
        self.about = ''

    def check(self, name, holds, said=''):
        name = f'{self.about}: {name}' if self.about else name
        if holds:
            self.passed += 1
            print(f'ok      {name}')
        else:
            self.failed += 1
            print(f'FAILED  {name}' + (f'\n        {str(said)[:1500]}' if said != '' else ''))

    def equal(self, name, found, wanted):
        self.check(name, found == wanted, f'found:  {found!r}\n        wanted: {wanted!r}')

    def broke(self, name, error):
        """A part that could not go on."""
        self.check(name, False, f'{type(error).__name__}: {error}')

    def end(self):
        print(f'{self.passed} passed, {self.failed} failed', flush=True)
        return 1 if self.failed else 0
