#!/usr/bin/env python3
"""Learns the weights of `src/source/related/weights.rs`.

    train.py CASES.jsonl CHECKOUTS

CASES has a line for each commit: id, repo, task, target, gold (path and hunks, by the lines
of the file before the commit) and target_gold, as `mine.py` of this folder's README describes.
CHECKOUTS/ID is the working tree before that commit, with its history.

Needs numpy and scipy, and the program that prints the signals:

    cargo build --release --example signals

Three multinomial models, each fitted by cross entropy with a penalty on the squares of its
weights: which file is among those that changed, the same once more for the likeliest with what
is in their parts, and in which part of a file the change is. A repository with many cases counts
less for each.
"""
import json, os, subprocess, sys, threading
import numpy as np
from scipy.optimize import minimize

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SIGNALS = os.path.join(ROOT, 'target/release/examples/signals')
WEIGHTS = os.path.join(ROOT, 'src/source/related/weights.rs')
CANDIDATES = 60  # as DEFAULT_RELATED_FILES

RANKED = ['words of the task', 'names of the targets', 'words of its path', 'names in the task',
          'declares names in the task', 'uses what targets declare', 'declares what targets use',
          'changed together', 'commits like the task', 'changes often',
          'uses what the focus declares', 'declares what the focus uses', 'like the focus',
          'share of the task covered']
FILE = [f'{name}, {how}' for name in RANKED for how in ('share of the best', 'rank')] + [
    'imported by a target', 'imports a target', 'imported by what a target imports',
    'imports what a target imports', 'imported by what imports a target', 'same stem', 'same folder',
    'nearness', 'same language', 'test', 'aside: docs, examples, fixtures', 'log of size',
    'named in the task', 'stem in the task', 'log of changed together', 'log of changes',
    'log of age', 'log of importers', 'test of the same stem', 'test that imports a target',
    'test with words of the task', 'a programming language', 'ever changed together',
    'words of the task and changed together', 'test that uses what targets declare',
    'log of uses what the focus declares', 'is a target']
TELLING = ['log of names in the task', 'title by rarity', 'task covered by rarity', 'log of is the focus',
           'log of uses of the focus', 'log of like the focus', 'title speaks of the task',
           'title is a name in the task']
CANDIDATE = ['log of the first probability', 'log of the sum over parts', 'best part', 'best part by task',
             'best three by task'] + [f'best {name}' for name in TELLING] + ['log of parts', 'best score by task']
PART = ['words of the task, share of the best anywhere', 'share of the best here', 'rank here',
        'names in the task', 'names targets declare', 'declares what targets use', 'names of the targets',
        'like the focus', 'share of the task covered', 'uses of the focus', 'title speaks of the task',
        'title is a name in the task', 'head', 'type', 'loose', 'inside', 'block', 'last', 'log of lines',
        'log of names', 'place', 'in a test', 'last of a test', 'head of a test', 'in a test by task',
        'depth', 'log of score by task', 'only part', 'by task and by declared', 'log of names in the task',
        'log of names targets declare', 'log of declares what targets use', 'title by rarity',
        'task covered by rarity', 'log of is the focus', 'log of uses of the focus', 'log of like the focus',
        'mean of neighbours', 'best neighbour', 'in a test, uses of the focus', 'function by title']


def signals(cases, checkouts):
    """The signals of each case, as the program prints them."""
    def line(c):
        parts = [g['path'] for g in c['gold']] + [c['target']]
        return json.dumps(dict(id=c['id'], repo=os.path.join(checkouts, c['id']), task=c['task'],
                               target=c['target'], parts=parts))
    text = ''.join(line(c) + '\n' for c in cases).encode()
    program = subprocess.Popen([SIGNALS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    threading.Thread(target=lambda: (program.stdin.write(text), program.stdin.close())).start()
    for out in program.stdout:
        yield json.loads(out)['signals']


def share(parts, hunks):
    """Which share of the change is in each part; an insertion is in both neighbours."""
    y = np.zeros(len(parts))
    for hunk in hunks:
        start, end = hunk['start'] - 1, hunk['end']
        if end <= start:
            start, end = start - 1, start + 1
        hit = [i for i, part in enumerate(parts) if part[0] < end and part[1] > start]
        for i in hit:
            y[i] += 1 / len(hit) / len(hunks)
    return y


def fit(lists, penalty):
    """Weights so that the softmax of each list is near its shares."""
    X = np.concatenate([x for _, x, _ in lists])
    Y = np.concatenate([y / y.sum() for _, _, y in lists])
    sizes = [len(y) for _, _, y in lists]
    at = np.cumsum([0] + sizes[:-1])
    which = np.repeat(np.arange(len(lists)), sizes)
    spread = X.std(0) + 1e-6
    Z = X / spread
    Z = Z - Z.mean(0)
    count = {}
    for repo, _, _ in lists:
        count[repo] = count.get(repo, 0) + 1
    weight = np.array([1 / np.sqrt(count[repo]) for repo, _, _ in lists])
    weight /= weight.mean()

    def loss(w):
        s = Z @ w
        top = np.maximum.reduceat(s, at)
        e = np.exp(s - top[which])
        total = np.add.reduceat(e, at)
        likelihood = (weight * (np.add.reduceat(Y * s, at) - top - np.log(total))).sum()
        slope = Z.T @ ((Y - e / total[which]) * weight[which])
        return penalty * (w @ w) / 2 - likelihood, penalty * w - slope
    found = minimize(loss, np.zeros(X.shape[1]), jac=True, method='L-BFGS-B', options=dict(maxiter=600))
    return found.x / spread


def table(name, what, size, weights, names):
    assert len(weights) == len(names), (name, len(weights), len(names))
    rows = ''.join(f'    {w:.2f}, // {n}\n' for w, n in zip(weights, names))
    return f'/// {what}\npub(super) const {name}: [f64; {size}] = [\n{rows}];\n'


def write(files, candidates, parts):
    head = ('//! What each signal counts. Made by `benches/quality/train.py`, not by hand.\n\n'
            'use super::signals::{CANDIDATE_SIGNALS, FILE_SIGNALS, PART_SIGNALS};\n')
    again = CANDIDATE + FILE
    tables = [table('FILES', 'For a file.', 'FILE_SIGNALS', files, FILE),
              table('CANDIDATES', 'For a likely file, once its parts are known.', 'CANDIDATE_SIGNALS',
                    candidates, again),
              table('PARTS', 'For a part of a file.', 'PART_SIGNALS', parts, PART)]
    with open(WEIGHTS, 'w') as out:
        out.write('\n'.join([head] + tables))
    subprocess.run(['rustfmt', '--edition', '2024', WEIGHTS], check=True)


def main():
    cases = [json.loads(line) for line in open(sys.argv[1])]
    files, again, parts = [], [], []
    for c, found in zip(cases, signals(cases, sys.argv[2])):
        gold = {g['path']: g['hunks'] for g in c['gold']}
        for lists, key in ((files, 'files'), (again, 'candidates')):
            rows = [row for row in found[key] if row[0] != c['target']]
            if key == 'candidates':
                rows = sorted(rows, key=lambda row: -row[1][0])[:CANDIDATES]
            y = np.array([float(path in gold) for path, _ in rows])
            if y.sum():
                lists.append((c['repo'], np.array([s for _, s in rows], dtype=np.float32), y))
        of_parts = dict(found['parts'])
        for path, hunks in {**gold, c['target']: c['target_gold']['hunks']}.items():
            rows = of_parts.get(path, [])
            y = share(rows, hunks)
            if len(rows) > 1 and y.sum():
                parts.append((c['repo'], np.array([s for *_, s in rows], dtype=np.float32), y))
    print(f'{len(cases)} cases, {len(parts)} files with parts')
    write(fit(files, 10), fit(again, 30), fit(parts, 10))


if __name__ == '__main__':
    main()
