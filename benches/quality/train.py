#!/usr/bin/env python3
"""Learns the weights of `src/rank/weights.rs`.

    train.py [--only TABLE,…] [--refine TABLE,…] [--keep NAME,…] [--signals NAME,… [--way SHARE]]
             CASES.jsonl CHECKOUTS [CASES.jsonl CHECKOUTS …]

CASES has a line for each commit: id, repo, task, target, gold (path and hunks, by the lines
of the file before the commit), target_gold, and beside (what it changed that is no source), as
`mine.py` of this folder's README describes. In cases of the split `beside` gold is that, and
sources tells how many other source files changed. A case without a target is an issue: its text
and what mended it. CHECKOUTS/ID is the working tree before that commit, with its history.

A commit with a target teaches `WITH_TARGETS`, and asked once more without it, where the target is
wanted as well, `ALONE`, which the issues teach too; of what it changed beside the source, `BESIDE`
learns. With --only the other tables stay as they are. With --refine a table starts from what
stands, and the penalty is on the way from there: for few cases after many; with --keep the weights
of these signals stay as they are, as of what the few cases hardly have. With --signals it is
only the weights of these that change, as for a new signal beside those that stand; with --way
they go a share of the way to what is learned, so that what they were learned beside still holds.

Needs numpy and scipy, and the program that prints the signals:

    cargo build --release --example signals

SIGNALS names another program. Three multinomial models for a table, each fitted by cross entropy
with a penalty on the squares of its weights: which file is among those that changed, the same once
more for the likeliest with what is in their parts, and in which part of a file the change is. For
what is no source the first two have one more row: all source together, whose score is 0. A
repository with many cases counts less for each.
"""
import argparse, json, os, re, subprocess, sys, threading
try:
    import numpy as np
    from scipy.optimize import minimize
except ImportError as missing:
    np, MISSING = None, missing

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SIGNALS = os.environ.get('SIGNALS', os.path.join(ROOT, 'target/release/examples/signals'))
WEIGHTS = os.path.join(ROOT, 'src/rank/weights.rs')
CANDIDATES = 60  # as DEFAULT_RELATED_FILES
# Without a target all tests together are shown a tenth, so they need not be told from each other.
TEST = 0.35

def signals(cases, checkouts):
    """The names of the signals, then the signals of each case, as the program prints them."""
    def line(c):
        parts = [g['path'] for g in c['gold'] + c.get('beside', [])]
        asked = dict(id=c['id'], repo=os.path.join(checkouts, c['id']), task=c['task'])
        if c['target']:
            parts.append(c['target'])
            asked['target'] = c['target']
        return json.dumps(dict(asked, parts=parts))
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


def fit(lists, penalty, known, moves):
    """Weights so that the softmax of each list is near its shares, and that are near what is
    known; those that do not move are what is known."""
    if not lists or not moves.any():
        return known
    X = np.concatenate([x for _, x, _ in lists])
    Y = np.concatenate([y / y.sum() for _, _, y in lists])
    sizes = [len(y) for _, _, y in lists]
    at = np.cumsum([0] + sizes[:-1])
    which = np.repeat(np.arange(len(lists)), sizes)
    spread = X.std(0) + 1e-6
    Z = X / spread
    Z = Z - Z.mean(0)
    known = known * spread
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
        way = w - known
        return penalty * (way @ way) / 2 - likelihood, (penalty * way - slope) * moves
    found = minimize(loss, known, jac=True, method='L-BFGS-B', options=dict(maxiter=600))
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


# What commits do not have, and tasks that somebody writes do: lines of a traceback, names with
# their place. What the issues teach of it holds beside a target too.
SAID = {'files': ['placed'], 'candidate_files': ['placed'], 'parts': ['line_named', 'traced']}


def said(with_targets, alone):
    """Weights with targets, with those of the task alone for what commits do not have."""
    for field, signals in SAID.items():
        with_targets[field].update((n, max(0.0, alone[field][n])) for n in signals)
    return with_targets


class Lists:
    """What a table is learned from: the rows of each case and which of them were wanted."""

    # What changes of a weight cost, by model: to learn it, and to refine it.
    LEARN, REFINE = (10, 30, 10), (30, 60, 30)

    def __init__(self):
        self.files, self.again, self.parts = [], [], []

    def learned(self, names, before=None, only=None, way=1.0, kept=()):
        """The numbers of each field of a table by their names; near those `before`, if there are any,
        and but for the signals in `only` the same, as for those that are kept; a share of the way
        from there."""
        penalties = self.REFINE if before else self.LEARN
        known = [np.array([(before or {}).get(field, {}).get(n, 0.0) for n in names[of]]) for field, _, of in FIELDS]
        moves = [np.array([(not only or n in only) and n not in kept for n in names[of]]) for _, _, of in FIELDS]
        files = fit(self.files, penalties[0], known[0], moves[0])
        again = fit(self.again, penalties[1], np.concatenate(known[1:3]), np.concatenate(moves[1:3]))
        parts = fit(self.parts, penalties[2], known[3], moves[3])
        own = len(names['candidates'])
        numbers = [files, again[:own], again[own:], parts]
        numbers = [stood + way * (found - stood) for stood, found in zip(known, numbers)]
        return {field: dict(zip(names[of], weights)) for (field, _, of), weights in zip(FIELDS, numbers)}


def add_files(lists, c, rows, wanted, source=None):
    """Adds rows of files; `source` is what all source together counts against them."""
    x, y = [s for _, s in rows], [wanted.get(path, 0.0) for path, _ in rows]
    if source is not None and rows:
        x, y = x + [[0.0] * len(x[0])], y + [source]
    if sum(y):
        lists.append((c['repo'], np.array(x, dtype=np.float32), np.array(y)))


def alone(c):
    """The case asked without its target, which is wanted then."""
    target = dict(c['target_gold'], path=c['target'])
    return dict(c, target=None, target_gold=None, gold=c['gold'] + [target], beside=[])


class Learner:
    def __init__(self, tables):
        self.tables = tables
        self.lists = {name: Lists() for name, _ in TABLES}
        self.names = None

    def ask(self, cases, checkouts):
        """Learns from cases that have their targets, or none."""
        told = signals(cases, checkouts)
        self.names = next(told)
        for c, found in zip(cases, told):
            self.add(c, found)

    def add(self, c, found):
        names = self.names
        at = names['files'].index('beside')
        again_at, parts_at = len(names['candidates']) + at, names['parts'].index('beside')
        likely = names['candidates'].index('log_likely')
        is_beside = 'sources' in c
        source = self.lists['WITH_TARGETS' if c['target'] else 'ALONE']
        beside = self.lists['BESIDE']
        wanted = {} if is_beside else {g['path']: g for g in c['gold']}
        changed = {g['path']: g for g in (c['gold'] if is_beside else c.get('beside', []))}
        files = [row for row in found['files'] if row[0] != c['target']]
        again = sorted((row for row in found['candidates'] if row[0] != c['target']),
                       key=lambda row: -row[1][likely])
        if c['target']:
            others = max(1, c['sources'] if is_beside else len(wanted))
            count = {path: 1.0 for path in changed}
            add_files(beside.files, c, [r for r in files if r[1][at]], count, others)
            add_files(beside.again, c, [r for r in again if r[1][again_at]], count, others)
        if not is_beside:
            count = {path: TEST if g.get('test') and not c['target'] else 1.0 for path, g in wanted.items()}
            add_files(source.files, c, [r for r in files if not r[1][at]], count)
            add_files(source.again, c, [r for r in again if not r[1][again_at]][:CANDIDATES], count)
        of_parts = dict(found['parts'])
        of_target = {c['target']: c['target_gold']} if c['target'] else {}
        for path, g in {**wanted, **changed, **of_target}.items():
            rows = of_parts.get(path, [])
            y = share(rows, g['hunks'])
            if len(rows) > 1 and y.sum():
                lists = beside if rows[0][3][parts_at] else source
                lists.parts.append((c['repo'], np.array([s for *_, s in rows], dtype=np.float32), y))

    def learned(self, refined, only=None, way=1.0, kept=()):
        with open(WEIGHTS) as given:
            before = given.read()
        found = {}
        for name in self.tables:
            lists = self.lists[name]
            print(f'{name}: {len(lists.files)} cases, {len(lists.parts)} files with parts', flush=True)
            stands = known(before, name) if only or name in refined else None
            found[name] = lists.learned(self.names, stands, only, way, kept)
        if 'ALONE' in found:
            found['WITH_TARGETS'] = said(found.get('WITH_TARGETS') or known(before, 'WITH_TARGETS'), found['ALONE'])
        return found


def main():
    parser = argparse.ArgumentParser()
    every = ','.join(name for name, _ in TABLES)
    parser.add_argument('--only', default=every, metavar='TABLE,…')
    parser.add_argument('--refine', default='', metavar='TABLE,…')
    parser.add_argument('--keep', default='', metavar='NAME,…')
    parser.add_argument('--signals', default='', metavar='NAME,…')
    parser.add_argument('--way', default=1.0, type=float, metavar='SHARE')
    parser.add_argument('given', nargs='+', metavar='CASES.jsonl CHECKOUTS')
    options = parser.parse_args()
    if np is None:
        parser.error(f'{MISSING}; `pip install numpy scipy` brings it')
    if options.way != 1.0 and not options.signals:
        parser.error('--way goes with --signals')
    if options.keep and not options.refine:
        parser.error('--keep goes with --refine')
    tables = options.only.split(',')
    learner = Learner(tables)
    for path, checkouts in zip(options.given[::2], options.given[1::2]):
        with open(path) as given:
            cases = [json.loads(line) for line in given]
        if 'ALONE' in tables:
            learner.ask([c if not c['target'] else alone(c) for c in cases if 'sources' not in c], checkouts)
        if {'WITH_TARGETS', 'BESIDE'} & set(tables):
            learner.ask([c for c in cases if c['target']], checkouts)
    only, kept = ([name for name in given.split(',') if name] for given in (options.signals, options.keep))
    unknown = [name for name in only + kept if not any(name in of for of in learner.names.values())]
    if unknown:
        parser.error(f"no signal is named {', '.join(unknown)}")
    write(learner.names, learner.learned(options.refine.split(','), only, options.way, kept))


if __name__ == '__main__':
    main()
