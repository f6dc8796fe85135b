"""What is easily done, to compare with: the target and the files most like the task, whole."""
import collections
import math
import os
import re

from files import is_source
from mine import LARGE, is_text

# Saturation and length of BM25, the usual values.
SATURATION, LENGTH = 1.2, 0.75
# More tokens than a heading and a fence have, without the path.
AROUND = 16
PIECE = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+')


def words(text):
    """The words of the names in a text, split by case, in small letters."""
    return [piece.lower() for piece in PIECE.findall(text)]


def bm25(texts, task):
    """How well each text answers the words of the task."""
    counts = [collections.Counter(words(text)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths)
    scores = [0.0] * len(texts)
    for word in sorted(set(words(task))):
        has = sum(word in count for count in counts)
        rarity = math.log(1 + (len(texts) - has + 0.5) / (has + 0.5))
        for at, count in enumerate(counts):
            norm = SATURATION * (1 - LENGTH + LENGTH * lengths[at] / mean)
            scores[at] += rarity * count[word] * (SATURATION + 1) / (count[word] + norm)
    return scores


def whole_files(repository, case, checkout, budgets, count, wanted='source'):
    """A prompt for each budget, of [`ranked`] files, each whole if it still fits."""
    files = ranked(repository, case, checkout, count, wanted)
    for budget in budgets:
        yield fitted(budget, files)


def ranked(repository, case, checkout, count, wanted='source'):
    """Files in the order in which they are taken, with their texts and tokens: the target if
    there is one, then the other source files, or all that may be wanted with them, from the most
    like the task on. With a file left out of a change, the diff stands in the place of the
    target, and its words are the task's. `count` tells the tokens of files."""
    if wanted == 'left':
        return around_change(repository, case, checkout, count)
    files = repository.files(case['parent'])
    counts = is_text if wanted == 'beside' else is_source
    paths = sorted(path for path, (_, size) in files.items()
                   if counts(path) and size < LARGE and os.path.isfile(os.path.join(checkout, path)))
    texts = repository.texts([files[path][0] for path in paths])
    tokens = count([os.path.join(checkout, path) for path in paths])
    scores = bm25(texts, case['task'])
    order = sorted(range(len(paths)), key=lambda at: (paths[at] != case['target'], -scores[at], paths[at]))
    return [(paths[at], texts[at], tokens[at]) for at in order]


def around_change(repository, case, checkout, count):
    """The diff, then the source files that it does not touch, from the most like it on."""
    with open(f'{checkout}.diff', newline='') as given:
        diff = given.read()
    of_diff = count([f'{checkout}.diff'])[0]
    touched = set(re.findall(r'^\+\+\+ b/(.*)$', diff, re.MULTILINE))
    files = repository.files(case['parent'])
    paths = sorted(path for path, (_, size) in files.items()
                   if is_source(path) and size < LARGE and path not in touched
                   and os.path.isfile(os.path.join(checkout, path)))
    texts = repository.texts([files[path][0] for path in paths])
    tokens = count([os.path.join(checkout, path) for path in paths])
    changed = '\n'.join(line[1:] for line in diff.split('\n') if line[:1] in ('+', '-'))
    scores = bm25(texts, case['task'] + '\n' + changed)
    order = sorted(range(len(paths)), key=lambda at: (-scores[at], paths[at]))
    return [('diff', diff, of_diff), *((paths[at], texts[at], tokens[at]) for at in order)]


def fitted(budget, files):
    """The files in their order, each whole if it still fits."""
    taken = []
    for path, text, tokens in files:
        price = tokens + AROUND + len(path)
        if price <= budget:
            budget -= price
            taken.append(f'### {path}\n\n```\n{text}\n```\n')
    return '\n'.join(taken)
