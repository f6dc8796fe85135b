"""Finds cases in the history of a repository: see README.md for the rules."""
import hashlib
import re

from files import in_language, in_program, is_aside, is_foreign, is_source, is_test, kind
from parts import comparable, pieces, significant

# A commit changes so many files at most, and so many that are source.
MOST_FILES, SOURCES = 14, range(2, 9)
# Lines added and removed: in all source files, and in the target.
LINES, TARGET_LINES = range(8, 801), 4
# At least three files with the same few lines each are a replacement everywhere.
EVERYWHERE = 4
# The message: words, characters of its first line, characters in all.
WORDS, FIRST_LINE, MESSAGE = 4, 18, 1500
# Bytes: a larger file is not source, all source together, the target, a wanted file.
LARGE, REPOSITORY, TARGET, WANTED = 1_000_000, 160_000, 64_000, 240_000
# The same where the wanted files are no source: lines in one of these, all source together.
BESIDE_LINES, REPOSITORY_BESIDE = range(1, 201), 60_000
# How many commits of each stretch of the history are looked at, and later of all for a case.
TRIES, MORE_TRIES = 25, 18

FIRST_WORD = re.compile(
    r'^\s*(merge|revert|bump|release|prepare|v?\d+\.\d+|chore\(deps|deps|style|docs?|ci|format|lint|changelog)\b',
    re.IGNORECASE)
# No person would ask a worker for these, or the message says nothing about the place.
CHORES = re.compile(r'\b(' + '|'.join([
    'typos?', 'spelling', 'copyright', 'licen[sc]e', 'dependenc(y|ies)', 'bump', 'changelog', 'readme', 'javadoc',
    'docstrings?', 'annotations? for', 'rustfmt', 'gofmt', 'prettier', 'eslint', 'biome', 'clippy', 'pyupgrade',
    'black', 'isort', 'flake8', 'ruff', 'linter', 'checkstyle', 'spotless', 'errorprone', 'sonar', 'jslint', 'jshint',
    'pre-commit', 'formatting', 'reformat', 'whitespace', 'indent(ation)?', 'semicolons?', 'style fix', 'code style',
    'codestyle', 'cosmetic', 'clean ?up', 'modernize', 'edition', 'msrv', 'type hints?', 'typing', 'nullable',
    'sort imports', 'unused import', 'remove unused', 'renam(e|ed|ing)', 'move[ds]? .* to',
]) + r')\b', re.IGNORECASE)
ROBOT = re.compile(r'\[bot\]|dependabot|renovate|github-actions', re.IGNORECASE)
# Lines of a message about its way into the repository.
TRAILER = re.compile(
    r'^(signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reviewed-on|cc|pr-url|refs?|fix|fixes|close|closes'
    r'|change-id|backport|piperorigin-revid|\(cherry)\b.*[:#]', re.IGNORECASE)
LONG_TRAILER = 160
LINK = re.compile(r'^https?://\S+$')
NUMBER_OF_REQUEST = re.compile(r'\s*\(#\d+\)')


def task(message):
    """A message as a task: without trailers, bare links and numbers of requests."""
    lines = []
    for line in message.replace('\r', '').split('\n'):
        stripped = line.strip()
        trailer = TRAILER.match(stripped) and len(stripped) < LONG_TRAILER
        if not trailer and not LINK.match(stripped):
            lines.append(line.rstrip())
    text = NUMBER_OF_REQUEST.sub('', '\n'.join(lines).strip())
    return re.sub(r'\n{3,}', '\n\n', text)[:MESSAGE]


class Candidate:
    """A commit that may be a case, as far as the log tells."""

    def __init__(self, commit, sources, besides=()):
        self.commit, self.sources, self.besides = commit, sources, besides
        self.task = task(commit.message)
        changed = [path for path in sources if not is_test(path)]
        self.target = min(changed, key=lambda path: (-sum(commit.sizes[path]), path))


def is_task(commit):
    """Whether a person might ask a worker for this."""
    first_line = commit.message.strip().split('\n')[0]
    if FIRST_WORD.search(first_line) or CHORES.search(first_line) or ROBOT.search(commit.author):
        return False
    return len(task(commit.message).split()) >= WORDS and len(first_line) >= FIRST_LINE


def candidate(commit):
    """None if the commit is no candidate."""
    if not is_task(commit):
        return None
    in_languages = [(kind, path) for kind, path in commit.kinds if in_language(path)]
    if len(commit.kinds) > MOST_FILES or any(kind != 'M' or not is_source(path) for kind, path in in_languages):
        return None
    sources = [path for _, path in in_languages if not is_aside(path)]
    if len(sources) not in SOURCES or sum(not is_test(path) for path in sources) < 2:
        return None
    sizes = [commit.sizes.get(path) for path in sources]
    if None in sizes or sum(map(sum, sizes)) not in LINES:
        return None
    if len(sizes) > 2 and len(set(sizes)) == 1 and sum(sizes[0]) <= EVERYWHERE:
        return None
    found = Candidate(commit, sources)
    return found if sum(commit.sizes[found.target]) >= TARGET_LINES else None


def beside(commit):
    """What a commit changed a little that is no source."""
    changed = [path for how, path in commit.kinds if how == 'M' and path in commit.sizes]
    return [path for path in changed if kind(path) and sum(commit.sizes[path]) in BESIDE_LINES]


def candidate_beside(commit):
    """The same where files are wanted that are no source: one source file is enough, and files
    may come or go."""
    if not is_task(commit) or len(commit.kinds) > MOST_FILES:
        return None
    changed = [path for how, path in commit.kinds if how == 'M' and path in commit.sizes]
    sources = [path for path in changed if in_program(path) and not is_foreign(path) and not is_aside(path)]
    besides = beside(commit)
    if not besides or len(sources) > max(SOURCES) or all(is_test(path) for path in sources):
        return None
    return Candidate(commit, sources, besides)


def case_beside(repository, candidate):
    """The case of such a candidate, or None."""
    commit = candidate.commit
    files = texts_of(repository, commit)
    sources = sum(size for path, (_, size) in files.items() if in_program(path))
    if candidate.target not in files or sources < REPOSITORY_BESIDE or files[candidate.target][1] > TARGET:
        return None
    [target, *wanted] = changed_beside(repository, commit, [candidate.target, *candidate.besides])
    if not target['hunks'] or not any(of['hunks'] for of in wanted):
        return None
    return dict(id=f'{repository.name}-{commit.name[:10]}', repo=repository.name, commit=commit.name,
                parent=commit.parent, time=commit.time, task=candidate.task, target=candidate.target,
                target_gold=target, sources=len(candidate.sources) - 1,
                gold=[of for of in wanted if of['hunks']])


def texts_of(repository, commit):
    """The files before a commit that are source or may change beside it."""
    files = repository.files(commit.parent)
    return {path: of for path, of in files.items() if is_text(path) and of[1] < LARGE}


def changed_beside(repository, commit, paths):
    """What a commit changed in these files, where no line is a comment."""
    files = texts_of(repository, commit) if paths else {}
    texts = dict(zip(files, repository.texts([name for name, _ in files.values()])))
    everything = '\0'.join(comparable(text, bool) for text in texts.values())

    def changed(path):
        hunks = repository.hunks(commit.parent, commit.name, path)
        return dict(path=path, kind=kind(path), bytes=files[path][1],
                    hunks=pieces(significant(texts[path], bool), hunks, everything))
    return [changed(path) for path in paths if path in files]


def is_text(path):
    return in_program(path) and not is_foreign(path) or kind(path) is not None


def case(repository, candidate):
    """The case of a candidate, or None if the files before it make none."""
    commit = candidate.commit
    files = repository.files(commit.parent)
    files = {path: of for path, of in files.items() if is_source(path) and of[1] < LARGE}
    sizes = {path: size for path, (_, size) in files.items()}
    if any(path not in files for path in candidate.sources) or sum(sizes.values()) < REPOSITORY:
        return None
    if sizes[candidate.target] > TARGET:
        return None
    texts = dict(zip(files, repository.texts([name for name, _ in files.values()])))
    everything = '\0'.join(comparable(text) for text in texts.values())
    changed = []
    for path in candidate.sources:
        hunks = repository.hunks(commit.parent, commit.name, path)
        hunks = pieces(significant(texts[path]), hunks, everything)
        if hunks:
            changed.append(dict(path=path, test=is_test(path), bytes=sizes[path], hunks=hunks))
    target = [of for of in changed if of['path'] == candidate.target]
    wanted = [of for of in changed if of['path'] != candidate.target]
    if not target or all(of['test'] for of in wanted) or any(of['bytes'] > WANTED for of in wanted):
        return None
    return dict(id=f'{repository.name}-{commit.name[:10]}', repo=repository.name, commit=commit.name,
                parent=commit.parent, time=commit.time, task=candidate.task, target=candidate.target,
                target_gold=target[0], gold=wanted, beside=changed_beside(repository, commit, beside(commit)))


def case_left(repository, candidate):
    """The case of a commit from which one file is left out, which is then wanted; or None."""
    found = case(repository, candidate)
    return found and left_out(found)


def left_out(case):
    """The same case with one of the wanted files, whichever the hash of its name says."""
    def dice(file):
        return hashlib.sha256(f"{case['commit']} {file['path']}".encode()).digest()
    return dict(case, gold=[min(case['gold'], key=dice)])


def case_alone(repository, candidate):
    """The case of a commit that is asked without its target, which is wanted then; or None."""
    found = case(repository, candidate)
    return found and alone(found)


def alone(case):
    """The same case without its target, as an issue is: wanted is all that is no test."""
    wanted = [case['target_gold'], *case['gold']]
    return dict(case, target=None, target_gold=None, beside=[], gold=[file for file in wanted if not file['test']])


# What may be wanted: the source, what changes beside it, a file that a change left out, the
# source with nothing but the task, or how to call what the change uses.
SPLITS = {'source': (candidate, case), 'beside': (candidate_beside, case_beside), 'left': (candidate, case_left),
          'alone': (candidate, case_alone), 'used': (candidate, case)}


def cases(repository, count, seed, wanted='source'):
    """At most so many cases, the oldest first, from all of the history.

    The candidates are cut into as many stretches of time as there are cases to be, each gives
    one; what is missing then comes from anywhere. Which candidate is taken is decided by a hash
    of its name and the seed, so that it is the same everywhere; two stretches of three take
    one with three source files or more if they can."""
    def dice(name):
        return hashlib.sha256(f'{seed} {name}'.encode()).digest()
    found = filter(None, map(SPLITS[wanted][0], repository.commits()))
    order = sorted(found, key=lambda c: (c.commit.time, c.commit.name))
    chosen, looked_at = [], set()

    def choose(pool, many):
        def rank(c):
            return len(c.sources) < 3 if many else False, dice(c.commit.name)
        for found in sorted(pool, key=rank)[:TRIES]:
            if found.commit.name not in looked_at:
                looked_at.add(found.commit.name)
                made = SPLITS[wanted][1](repository, found)
                if made:
                    chosen.append(made)
                    return

    for at in range(count):
        stretch = order[at * len(order) // count:(at + 1) * len(order) // count]
        choose(stretch, many=dice(f'stretch {at}')[0] % 3 > 0)
    rest = [c for c in order if c.commit.name not in looked_at]
    for found in sorted(rest, key=lambda c: dice(c.commit.name))[:MORE_TRIES * (count - len(chosen))]:
        if len(chosen) < count:
            choose([found], many=False)
    return len(order), sorted(chosen, key=lambda c: (c['time'], c['id']))
