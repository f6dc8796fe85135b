#!/usr/bin/env python3
"""How much of a run's prompts its providers have read before: see README.md.

    turns.py REPOSITORY…

Plays runs of ten steps on the history of each repository: a plan, five steps that implement
it, four reviews. Each prompt is built twice, by itself and with `--since` the last prompt of
its role, and a table tells which share of all tokens stands in a beginning that an earlier
prompt of the run had, and how much of what is still to be changed the prompts show.

Needs Python 3.9, git and packer, on Unix.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../quality'))
import bench
import mine
from parts import comparable, shown

# The steps that implement a plan, and how many of a commit's files make such a run.
STEPS, FILES = 5, 4


def main():
    options = arguments()
    repositories = bench.named(options.repositories)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        work = [pool.submit(runs, repository, options.runs, options.seed) for repository in repositories.values()]
        cases = [case for done in work for case in done.result()]
        if not cases:
            sys.exit('error: no run')
        work = [pool.submit(played, repositories[case['repo']], case, options) for case in cases]
        rows = []
        for at, done in enumerate(work):
            rows += done.result()
            bench.say(f'\r{at + 1} of {len(cases)} runs', end='')
    bench.say('')
    if options.json:
        with open(options.json, 'w') as out:
            json.dump(rows, out, indent=1)
    print('\n'.join(table(rows)))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('repositories', nargs='+', metavar='REPOSITORY', help='a clone with its history, bare or not')
    parser.add_argument('--packer', default=bench.BUILT if os.path.exists(bench.BUILT) else 'packer', metavar='PATH')
    parser.add_argument('--runs', type=int, default=4, metavar='N', help='of each repository [default: 4]')
    parser.add_argument('--seed', default='1', help='which runs are chosen [default: 1]')
    parser.add_argument('--jobs', type=int, default=2, metavar='N', help='processes [default: 2]')
    parser.add_argument('--role-last', action='store_true', help='go on from the last prompt of any role')
    parser.add_argument('--budget', type=int, metavar='TOKENS', help="of each prompt [default: the roles' own]")
    parser.add_argument('--json', metavar='FILE', help='write every single prompt')
    options = parser.parse_args()
    if os.sep in options.packer:
        options.packer = os.path.abspath(options.packer)
    return options


def runs(repository, count, seed):
    """Cases of the quality benchmark that change several source files."""
    found = []
    for candidate in filter(None, map(mine.candidate, repository.commits())):
        if len(candidate.sources) >= FILES:
            found.append(candidate)
    found.sort(key=lambda c: mine.hashlib.sha256(f'{seed} {c.commit.name}'.encode()).digest())
    made = []
    for candidate in found:
        if len(made) == count:
            break
        case = mine.case(repository, candidate)
        if case and len(case['gold']) >= FILES - 1:
            made.append(case)
    return made


def played(repository, case, options):
    """A row for each prompt of a run."""
    with tempfile.TemporaryDirectory(prefix='packer-turns-') as folder:
        checkout = bench.checked_out(repository, case, folder, 'source')
        changed = [case['target_gold'], *case['gold']]
        steps = [changed[at % len(changed)] for at in range(STEPS)]
        plan = json.dumps({'steps': [{'id': at + 1, 'files': [file['path']]} for at, file in enumerate(steps)]})
        run = Run(options, folder, checkout)
        rows = [run.prompt('planner', case['task'], [], changed, {})]
        done = []
        for at, step in enumerate(steps):
            task = f"{case['task']}\n\nStep {at + 1} of {STEPS}: change {step['path']}."
            left = [file for file in changed if file is not step and file not in done]
            rows.append(run.prompt('implementer', task, [step['path']], left, {'task_details': plan}))
            if step not in done:
                done.append(step)
            run.apply(repository, case, step['path'])
            if at < STEPS - 1:
                left = [file for file in changed if file not in done]
                rows.append(run.prompt('reviewer', task, [], left, {'plan': plan}))
    return [dict(row, run=case['id'], repository=case['repo']) for row in rows]


class Run:
    """The prompts of a run so far, by themselves and with what came before."""

    def __init__(self, options, folder, checkout):
        self.options, self.folder, self.checkout = options, folder, checkout
        self.last = {}
        self.texts = {'alone': [], 'since': []}
        self.number = 0

    def apply(self, repository, case, path):
        """Has a file as the commit left it, and staged."""
        text = repository.git('show', f"{case['commit']}:{path}")
        with open(os.path.join(self.checkout, path), 'wb') as out:
            out.write(text if isinstance(text, bytes) else text.encode())
        subprocess.run(['git', '-C', self.checkout, 'add', '--', path], check=True, capture_output=True)

    def prompt(self, role, task, targets, wanted, extra):
        self.number += 1
        row = dict(role=role, step=self.number)
        for how in self.texts:
            chain = 'all' if self.options.role_last else role
            report = self.build(role, task, targets, extra, self.last.get(chain) if how == 'since' else None)
            text = report['prompt']
            alike = [len(os.path.commonprefix([text, other])) for other, _ in self.texts[how]]
            places = [max((at for at in marks if at <= length), default=0)
                      for (_, marks), length in zip(self.texts[how], alike)]
            tokens = self.count([text, text[:max(alike, default=0)], text[:max(places, default=0)]])
            self.texts[how].append((text, marked(report)))
            if how == 'since':
                self.last[chain] = report
            given = comparable(text)
            shares = [shown(given, file['hunks']) for file in wanted]
            row[how] = dict(tokens=tokens[0], before=tokens[1], marked=tokens[2], expected=report['expected_recall'],
                            shown=sum(shares) / len(shares) if shares else None)
        return row

    def build(self, role, task, targets, extra, since):
        request = dict(role=role, task=task, target=targets, extra=extra, cache_points=4, tokenizer=bench.TOKENIZER,
                       format='json', since=since, template={'planner': 'planning.j2', 'implementer': 'implement.j2',
                                                             'reviewer': 'review_strict.j2'}[role])
        if self.options.role_last:
            request['role_last'] = True
        if self.options.budget:
            request['budget'] = self.options.budget
        done = subprocess.run([self.options.packer, '-C', self.checkout, '--quiet', 'prompt', '--request', '-'],
                              input=json.dumps(request), capture_output=True, text=True)
        if done.returncode:
            sys.exit(f'error: no prompt: {done.stderr}')
        return json.loads(done.stdout)

    def count(self, texts):
        paths = [os.path.join(self.folder, f'text-{at}') for at in range(len(texts))]
        for path, text in zip(paths, texts):
            with open(path, 'w') as out:
                out.write(text)
        return bench.tokens(self.options.packer, self.folder, paths)


def marked(report):
    """Where in the prompt the marks are, in characters. Between the system message and the next
    one the prompt has a blank line."""
    places, at = [], 0
    for message in report['messages']:
        for part in message['content']:
            at += len(part['text'])
            if 'cache_control' in part:
                places.append(at)
        at += len('\n\n')
    return places


def table(rows):
    """The table as lines of Markdown."""
    yield '| | runs | tokens | read before, alone | with `--since` | up to a mark | shown, alone | with `--since` |'
    yield '| --- ' * 8 + '|'
    for name in [*dict.fromkeys(row['repository'] for row in rows), None]:
        of = [row for row in rows if name in (None, row['repository'])]
        yield line(f'{name}' if name else '**all**', of)
    for role in ('planner', 'implementer', 'reviewer'):
        yield line(role, [row for row in rows if row['role'] == role])


def line(name, rows):
    def before(how, what='before'):
        tokens = sum(row[how]['tokens'] for row in rows)
        return 100 * sum(row[how][what] for row in rows) / tokens if tokens else 0.0

    def share(how):
        # The first prompt of a role has nothing before it.
        shares = [row[how]['shown'] for row in rows if row[how]['shown'] is not None]
        return 100 * sum(shares) / len(shares) if shares else 0.0
    runs = len({row['run'] for row in rows})
    tokens = sum(row['since']['tokens'] for row in rows) // max(runs, 1)
    return (f"| {name} | {runs} | {tokens} | {before('alone'):.1f} | {before('since'):.1f} "
            f"| {before('since', 'marked'):.1f} "
            f"| {share('alone'):.1f} | {share('since'):.1f} |")


if __name__ == '__main__':
    main()
