#!/usr/bin/env python3
"""Learns the weights of `src/rank/weights.rs`.

    train.py [--only-beside] CASES.jsonl CHECKOUTS

CASES has a line for each commit: id, repo, task, target, gold (path and hunks, by the lines
of the file before the commit), target_gold, and beside (what it changed that is no source), as
`mine.py` of this folder's README describes. In cases of the split `beside` gold is that, and
sources tells how many other source files changed. CHECKOUTS/ID is the working tree before that
commit, with its history. With --only-beside the tables for the source stay as they are.

Needs numpy and scipy, and the program that prints the signals:

    cargo build --release --example signals

SIGNALS names another program. Three multinomial models, each fitted by cross entropy with a penalty on the squares of its
weights: which file is among those that changed, the same once more for the likeliest with what
is in their parts, and in which part of a file the change is. The same three once more for what is
no source, where the first two have one more row: all source together, whose score is 0. A
repository with many cases counts less for each.
"""
import json, os, re, subprocess, sys, threading
import numpy as np
from scipy.optimize import minimize

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SIGNALS = os.environ.get('SIGNALS', os.path.join(ROOT, 'target/release/examples/signals'))
WEIGHTS = os.path.join(ROOT, 'src/rank/weights.rs')
CANDIDATES = 60  # as DEFAULT_RELATED_FILES

def signals(cases, checkouts):
    """The names of the signals, then the signals of each case, as the program prints them."""
    def line(c):
        parts = [g['path'] for g in c['gold'] + c.get('beside', [])] + [c['target']]
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


TABLES = [('WITH_TARGETS', 'Where there are targets.'), ('ALONE', 'Where there is the task alone.'),
          ('BESIDE', 'For what is no source.')]
FIELDS = [('files', 'FileSignals', 'files'), ('candidates', 'CandidateSignals', 'candidates'),
          ('candidate_files', 'FileSignals', 'files'), ('parts', 'PartSignals', 'parts')]


def table(name, what, weights, names):
    """A table as Rust; `weights` has the numbers of each field by their names."""
    rows = ''
    for field, kind, of in FIELDS:
        own = ''.join(f'        {n}: {weights[field].get(n, 0):.2f},\n' for n in names[of])
        rows += f'    {field}: {kind} {{\n{own}    }},\n'
    return f'/// {what}\npub const {name}: Weights = Weights {{\n{rows}}};\n'


def known(text, name):
    """The weights of a table as they stand in the source."""
    own = re.search(rf'(?s)pub const {name}: Weights = .*?\n\}};', text)[0]
    fields = re.findall(r'(?s)^    (\w+): \w+ \{\n(.*?)^    \},', own, re.MULTILINE)
    return {field: {n: float(w) for n, w in re.findall(r'(\w+): (-?[\d.]+),', rows)} for field, rows in fields}


def write(names, found):
    """Writes the tables that were learned; those that were not stay as they are."""
    with open(WEIGHTS) as given:
        before = given.read()
    tables = ['//! What each signal counts. Made by `benches/quality/train.py`, not by hand.\n\n'
              'use super::signals::{CandidateSignals, FileSignals, PartSignals, Weights};\n']
    tables += [table(name, what, found.get(name) or known(before, name), names) for name, what in TABLES]
    with open(WEIGHTS, 'w') as out:
        out.write('\n'.join(tables))


class Lists:
    """What a model is learned from: the rows of each case and which of them were wanted."""

    def __init__(self):
        self.files, self.again, self.parts = [], [], []

    def learned(self, names):
        """The numbers of each field of a table by their names."""
        again = fit(self.again, 30)
        own = len(names['candidates'])
        numbers = dict(files=fit(self.files, 10), candidates=again[:own], candidate_files=again[own:],
                       parts=fit(self.parts, 10))
        return {field: dict(zip(names[of], numbers[field])) for field, _, of in FIELDS}


def add_files(lists, c, rows, wanted, source=None):
    """Adds rows of files; `source` is what all source together counts against them."""
    x, y = [s for _, s in rows], [float(path in wanted) for path, _ in rows]
    if source is not None and rows:
        x, y = x + [[0.0] * len(x[0])], y + [source]
    if sum(y):
        lists.append((c['repo'], np.array(x, dtype=np.float32), np.array(y)))


def main():
    only_beside = sys.argv[1] == '--only-beside'
    given, checkouts = sys.argv[1 + only_beside:]
    cases = [json.loads(line) for line in open(given)]
    source, beside = Lists(), Lists()
    told = signals(cases, checkouts)
    names = next(told)
    likely = names['candidates'].index('log_likely')
    at = names['files'].index('beside')
    again_at, parts_at = len(names['candidates']) + at, names['parts'].index('beside')
    for c, found in zip(cases, told):
        is_beside = 'sources' in c
        wanted = {g['path']: g['hunks'] for g in ([] if is_beside else c['gold'])}
        changed = {g['path']: g['hunks'] for g in (c['gold'] if is_beside else c.get('beside', []))}
        files = [row for row in found['files'] if row[0] != c['target']]
        again = sorted((row for row in found['candidates'] if row[0] != c['target']),
                       key=lambda row: -row[1][likely])
        others = max(1, c['sources'] if is_beside else len(wanted))
        add_files(beside.files, c, [r for r in files if r[1][at]], changed, others)
        add_files(beside.again, c, [r for r in again if r[1][again_at]], changed, others)
        if not is_beside:
            add_files(source.files, c, [r for r in files if not r[1][at]], wanted)
            add_files(source.again, c, [r for r in again if not r[1][again_at]][:CANDIDATES], wanted)
        of_parts = dict(found['parts'])
        for path, hunks in {**wanted, **changed, c['target']: c['target_gold']['hunks']}.items():
            rows = of_parts.get(path, [])
            y = share(rows, hunks)
            if len(rows) > 1 and y.sum():
                lists = beside if rows[0][3][parts_at] else source
                lists.parts.append((c['repo'], np.array([s for *_, s in rows], dtype=np.float32), y))
    print(f'{len(cases)} cases, {len(source.parts)} files of source and {len(beside.parts)} others with parts')
    learned = {} if only_beside else {'WITH_TARGETS': source.learned(names)}
    write(names, {**learned, 'BESIDE': beside.learned(names)})


if __name__ == '__main__':
    main()
