"""Cases out of issues: lines of JSON as the data sets of SWE-bench have them.

Of each line `instance_id`, `repo` (`owner/name`), `base_commit`, `problem_statement` and `patch` are
read: the text of the issue is the task, and wanted is the source that the patch changes, without
tests. Whoever publishes other issues in this form can measure on them.
"""
import json
import re

from files import is_source, is_test
from mine import LARGE
from parts import comparable, pieces, significant
from repository import NEAR

FILE = re.compile(r'^--- (?:a/)?([^\t\n]+)')
HUNK = re.compile(r'^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@')


def cases(path, repositories):
    """The cases of a file of issues whose repositories are given, and what became of the others."""
    found, lacking = [], 0
    with open(path) as given:
        for row in map(json.loads, filter(str.strip, given)):
            repository = of_issue(repositories, row['repo'])
            if repository is None:
                continue
            made = case(repository, row)
            lacking += made is None
            found += [made] if made else []
    return found, lacking


def of_issue(repositories, name):
    """The repository `owner/name` among those that are given by the last parts of their paths."""
    owner, _, own = name.rpartition('/')
    return next((repositories[n] for n in (f'{owner}-{own}', f'{owner}__{own}', own) if n in repositories), None)


def case(repository, row):
    """The case of an issue; None if the clone lacks its commit or nothing of its source changes."""
    before = row['base_commit']
    if not repository.has(before):
        return None
    changed = {path: hunks for path, hunks in changes(row['patch']).items() if is_source(path) and not is_test(path)}
    files = repository.files(before)
    files = {path: of for path, of in files.items() if is_source(path) and of[1] < LARGE}
    texts = dict(zip(files, repository.texts([name for name, _ in files.values()])))
    everything = '\0'.join(comparable(text) for text in texts.values())
    gold = []
    for path, hunks in changed.items():
        if path in texts:
            found = pieces(significant(texts[path]), hunks, everything)
            gold += [dict(path=path, test=False, bytes=files[path][1], hunks=found)] if found else []
    if not gold:
        return None
    return dict(id=row['instance_id'], repo=repository.name, commit=None, parent=before, time=0,
                task=row['problem_statement'], target=None, target_gold=None, gold=gold, beside=[])


def changes(patch):
    """Where a patch changes each file that was there before: first line and the one after the
    last, from 0, as [`Repository.hunks`] tells them."""
    found, path, at, left = {}, None, 0, [0, 0]
    for line in patch.split('\n'):
        if left == [0, 0]:
            head, hunk = FILE.match(line), HUNK.match(line)
            if head:
                path = None if head[1] == '/dev/null' else head[1]
            elif hunk and path:
                lines = int(hunk[2] or 1)
                at, left = int(hunk[1]) - (1 if lines else 0), [lines, int(hunk[3] or 1)]
            continue
        sign = line[:1] or ' '
        if sign in '-+':
            add(found.setdefault(path, []), at, at + (sign == '-'))
        at += sign in '- '
        left[0] -= sign in '- '
        left[1] -= sign in '+ '
    return found


def add(hunks, start, end):
    """Adds a changed place; what is near the last one is one with it."""
    if hunks and start - hunks[-1][1] <= NEAR:
        hunks[-1][1] = max(hunks[-1][1], end)
    else:
        hunks.append([start, end])
