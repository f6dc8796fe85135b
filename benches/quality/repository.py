"""What git tells about a repository. Settings of whoever runs this do not change it."""
import os
import re
import subprocess

SETTINGS = ['-c', 'core.quotePath=false', '-c', 'core.autocrlf=false', '-c', 'log.showSignature=false',
            '-c', 'advice.detachedHead=false', '-c', 'gc.auto=0', '-c', 'diff.renameLimit=1000']

HUNK = re.compile(r'^@@ -(\d+)(?:,(\d+))? \+')

# Hunks with so few lines between them are one.
NEAR = 4


class Commit:
    """A commit with one parent."""

    def __init__(self, name, parent, author, time, message, changes):
        self.name, self.parent, self.author, self.time = name, parent, author, int(time)
        self.message = message
        # Kind of change (`A`, `M`, `D`, `R`, …) and path.
        self.kinds = []
        # Lines added and removed, of text files.
        self.sizes = {}
        for line in changes.split('\n'):
            fields = line.split('\t')
            if line.startswith(':'):
                self.kinds.append((fields[0].split()[4][0], fields[-1]))
            elif len(fields) == 3 and fields[0].isdigit() and fields[1].isdigit():
                self.sizes[fields[2]] = (int(fields[0]), int(fields[1]))


class Repository:
    def __init__(self, path, name):
        self.path, self.name = path, name

    def git(self, *arguments, given=None):
        return run(self.path, *arguments, given=given)

    def commits(self):
        """The history of HEAD, without merges and without first commits."""
        out = self.git('log', 'HEAD', '--no-merges', '--raw', '--numstat', '-M', '--no-abbrev', '--no-color',
                       '--no-ext-diff', '--format=%x00%H%x00%P%x00%an <%ae>%x00%ct%x00%B%x00')
        fields = text(out).split('\0')[1:]
        for at in range(0, len(fields) - 5, 6):
            if len(fields[at + 1].split()) == 1:
                yield Commit(*fields[at:at + 6])

    def has(self, commit):
        """Whether the clone has this commit."""
        return not subprocess.run(['git', '-C', self.path, 'cat-file', '-e', commit + '^{commit}'],
                                  capture_output=True).returncode

    def files(self, commit):
        """The regular files of a commit: the object and the size of each path. What a clone
        does not have is left out."""
        files = {}
        for entry in text(self.git('ls-tree', '-r', '-l', '-z', commit)).split('\0')[:-1]:
            fields, path = entry.split('\t', 1)
            mode, kind, name, size = fields.split()
            if kind == 'blob' and mode != '120000' and size.isdigit():
                files[path] = (name, int(size))
        return files

    def texts(self, names):
        """The texts of objects, in their order."""
        out = self.git('cat-file', '--batch', given='\n'.join(names).encode() + b'\n')
        texts, at = [], 0
        for _ in names:
            head = out.index(b'\n', at)
            size = int(out[at:head].split()[2])
            texts.append(text(out[head + 1:head + 1 + size]))
            at = head + 1 + size + 1
        return texts

    def hunks(self, before, after, path):
        """Where a file changes, white space aside: first line and the one after the last,
        of the file before, from 0. Both are the same for an insertion."""
        hunks = []
        diff = self.git('diff', '-U0', '-w', '--diff-algorithm=myers', '--inter-hunk-context=0', '--no-color',
                        '--no-ext-diff', '--no-textconv', before, after, '--', f':(literal){path}')
        for line in text(diff).split('\n'):
            found = HUNK.match(line)
            if not found:
                continue
            start, lines = int(found[1]), int(found[2] or 1)
            start -= 1 if lines else 0
            if hunks and start - hunks[-1][1] <= NEAR:
                hunks[-1][1] = max(hunks[-1][1], start + lines)
            else:
                hunks.append([start, start + lines])
        return hunks

    def check_out(self, commit, folder):
        """Makes a repository of its own in `folder`, with the files of a commit and the
        history up to it. Objects are borrowed, but no name leads to a later commit."""
        run(None, 'init', '-q', '-b', 'main', folder)
        inside = os.path.join(folder, '.git')
        with open(os.path.join(inside, 'objects/info/alternates'), 'w') as out:
            out.write(self.place('objects') + '\n')
        if os.path.exists(self.place('shallow')):
            with open(self.place('shallow')) as given, open(os.path.join(inside, 'shallow'), 'w') as out:
                out.write(given.read())
        run(folder, 'update-ref', 'refs/heads/main', commit)
        run(folder, 'reset', '-q', '--hard', commit)

    def check_out_without(self, before, after, left, folder):
        """Makes a repository of its own with the files of a commit staged but for one, which is
        as it was before, and returns the diff."""
        self.check_out(before, folder)
        others = ['--', '.', f':(exclude,literal){left}']
        run(folder, 'restore', f'--source={after}', '--staged', '--worktree', *others)
        return text(self.git('diff', '-M', '--no-color', '--no-ext-diff', '--no-textconv', before, after, *others))

    def place(self, what):
        """Where git keeps something of this repository."""
        found = text(self.git('rev-parse', '--git-path', what)).rstrip('\n')
        return os.path.abspath(os.path.join(self.path, found))


def run(folder, *arguments, given=None):
    """What git prints; it is an error if git fails."""
    where = ['-C', folder] if folder else []
    done = subprocess.run(['git', *where, *SETTINGS, *arguments], input=given, capture_output=True)
    if done.returncode:
        raise RuntimeError(f'git {arguments[0]} in {folder}: {text(done.stderr).strip()[-400:]}')
    return done.stdout


def text(data):
    return data.decode('utf-8', 'replace')
