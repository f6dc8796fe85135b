#!/usr/bin/env python3
"""Learns the weights of `src/rank/weights.rs`.

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
WEIGHTS = os.path.join(ROOT, 'src/rank/weights.rs')
CANDIDATES = 60  # as DEFAULT_RELATED_FILES

def signals(cases, checkouts):
    """The names of the signals, then the signals of each case, as the program prints them."""
    def line(c):
        parts = [g['path'] for g in c['gold']] + [c['target']]
        return json.dumps(dict(id=c['id'], repo=os.path.join(checkouts, c['id']), task=c['task'],
                               target=c['target'], parts=parts))
    text = ''.join(line(c) + '\n' for c in cases).encode()
    program = subprocess.Popen([SIGNALS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    threading.Thread(target=lambda: (program.stdin.write(text), program.stdin.close())).start()
    yield json.loads(program.stdout.readline())['names']
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


def table(name, what, kind, weights, names):
    assert len(weights) == len(names), (name, len(weights), len(names))
    rows = ''.join(f'    {n}: {w:.2f},\n' for w, n in zip(weights, names))
    return f'/// {what}\npub const {name}: {kind} = {kind} {{\n{rows}}};\n'


def write(names, files, candidates, parts):
    head = ('//! What each signal counts. Made by `benches/quality/train.py`, not by hand.\n\n'
            'use super::signals::{CandidateSignals, FileSignals, PartSignals};\n')
    own = len(names['candidates'])
    tables = [table('FILES', 'For a file.', 'FileSignals', files, names['files']),
              table('CANDIDATES', 'For a likely file, once its parts are known.', 'CandidateSignals',
                    candidates[:own], names['candidates']),
              table('CANDIDATE_FILES', 'For a likely file, what spoke for it before.', 'FileSignals',
                    candidates[own:], names['files']),
              table('PARTS', 'For a part of a file.', 'PartSignals', parts, names['parts'])]
    with open(WEIGHTS, 'w') as out:
        out.write('\n'.join([head] + tables))


def main():
    cases = [json.loads(line) for line in open(sys.argv[1])]
    files, again, parts = [], [], []
    told = signals(cases, sys.argv[2])
    names = next(told)
    likely = names['candidates'].index('log_likely')
    for c, found in zip(cases, told):
        gold = {g['path']: g['hunks'] for g in c['gold']}
        for lists, key in ((files, 'files'), (again, 'candidates')):
            rows = [row for row in found[key] if row[0] != c['target']]
            if key == 'candidates':
                rows = sorted(rows, key=lambda row: -row[1][likely])[:CANDIDATES]
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
    write(names, fit(files, 10), fit(again, 30), fit(parts, 10))


if __name__ == '__main__':
    main()
