"""What a change uses: where the names in its added lines are declared, if other files declare them.

Whoever makes the change has to know how to call that, though nothing there has to be changed.
"""
import os
import re

from files import is_source, is_test
from mine import LARGE
from parts import plain

# A name that is declared in more places does not tell which of them is meant.
MOST_PLACES = 2

# A shorter line could stand anywhere.
LEAST_CHARACTERS = 8

# A longer line is no head of a declaration.
LONG = 300

NAME = re.compile(r'[A-Za-z_]\w{3,}')
COMMENT = ('//', '#', '*', '/*', '--')

WORD = re.compile(r'\b(?:def|class|fn|func|function|fun|struct|enum|union|trait|interface|type|const|static|object|'
                  r'module|record|namespace|macro_rules!|#define)\s+(?:self\.|\([^)]*\)\s*)?([A-Za-z_]\w{3,})')
VALUE = re.compile(r'^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_]\w{3,})\s*[:=]')
# Where no word stands before a function: its type or what it lies in does.
TYPED = ('.java', '.cs', '.c', '.h', '.cc', '.cpp', '.ts', '.tsx', '.js', '.php', '.kt')
CALLABLE = re.compile(
    r'^(\s*)((?:[\w<>\[\],.?*&:]+\s+)*?[*&]?)([A-Za-z_]\w{3,})\s*\([^;{}]*(?:\)[\w\s<>\[\]|.,:]*\{?\s*|,\s*)$')
STATEMENT = re.compile(r'\s*(?:return|if|for|while|switch|else|throw|new|await|yield|case|catch|using|foreach)\b')

# What standard libraries declare as well.
OF_LIBRARIES = {'Action', 'Array', 'Buffer', 'Error', 'Exception', 'Future', 'Handler', 'Iterator', 'Object', 'Option',
                'Promise', 'Result', 'Stream', 'String', 'Vector', 'forEach', 'hashCode', 'is_dir', 'is_empty',
                'is_file', 'is_none', 'is_some', 'push_back', 'toString', 'to_string'}


def case(repository, case):
    """The case of a commit, asked for what its change uses; None if other files declare nothing of it."""
    added = names_added(repository, case)
    files = repository.files(case['parent'])
    files = {path: of for path, of in files.items() if is_source(path) and of[1] < LARGE}
    places = {}
    for path, text in zip(files, repository.texts([name for name, _ in files.values()])):
        for name, line, says in declared(path, text):
            if name in added:
                places.setdefault(name, []).append((path, line, says))
    gold = {}
    for name, found in sorted(places.items()):
        if any(path == case['target'] for path, *_ in found):
            continue
        found = [place for place in found if not is_test(place[0])]
        if len(found) <= MOST_PLACES:
            for path, line, says in found:
                if len(says) >= LEAST_CHARACTERS:
                    gold.setdefault(path, []).append(dict(start=line + 1, end=line + 1, pieces=[[says]]))
    if not gold:
        return None
    wanted = [dict(path=path, test=False, bytes=files[path][1], hunks=hunks) for path, hunks in gold.items()]
    return dict(case, target_gold=None, beside=[], gold=wanted)


def names_added(repository, case):
    """The telling names in the lines of source that a commit adds, without tests."""
    diff = repository.git('diff', '-U0', '--no-color', '--no-ext-diff', '--no-textconv', case['parent'], case['commit'])
    names, counts = set(), False
    for line in diff.decode('utf-8', 'replace').split('\n'):
        if line.startswith('+++ '):
            path = line[6:]
            counts = is_source(path) and not is_test(path)
        elif counts and line.startswith('+') and not line[1:].strip().startswith(COMMENT):
            names.update(filter(tells, NAME.findall(line[1:])))
    return names


def tells(name):
    """Whether a name is made of several words, or is that of a type."""
    words = len(re.findall('[A-Z][a-z]|[a-z][A-Z]', name))
    return name not in OF_LIBRARIES and ('_' in name.strip('_') or words >= 3 or name[0].isupper() and len(name) >= 5)


def declared(path, text):
    """The names that a text declares, each with its line, from 0, and what that says."""
    is_typed = os.path.splitext(path)[1].lower() in TYPED
    for at, line in enumerate(text.split('\n')):
        if len(line) > LONG:
            continue
        if line.strip().startswith(COMMENT) and not line.strip().startswith('#define'):
            continue
        found = WORD.search(line) or VALUE.match(line)
        name = found and found[1]
        if not name and is_typed and not STATEMENT.match(line):
            found = CALLABLE.match(line)
            name = found and (found[2] or found[1] and line.rstrip().endswith('{')) and found[3]
        if name:
            yield name, at, plain(line)
