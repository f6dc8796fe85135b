#!/usr/bin/env python3
"""How much of what a worker will need is in the prompts of `packer`: see README.md.

    bench.py REPOSITORY…

Finds cases in the history of each repository, has `packer` build their prompts at each
budget, and prints a table: the share, in percent, of the changed parts of other files that is
in the prompt, with the CPU time of a call (median) and the most memory of any.

Needs Python 3.9, git and packer, on Unix.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

import baselines
import issues
import mine
import used
from files import KINDS, SOURCE, is_test
from parts import comparable, says_something, shown
from repository import Repository

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(HERE, '../../target/release/packer')
TOKENIZER = 'o200k'
# Seconds for a call; a prompt takes less than one.
PATIENCE = 300
# Files whose tokens are counted at once, for the length of a command line.
AT_ONCE = 500
# What may be compared.
PACKER, BM25 = 'packer', 'BM25 over whole files'


def count_as_source(endings):
    SOURCE.update(endings)


def main():
    options = arguments()
    repositories = named(options.repositories)
    count_as_source(options.endings)
    with concurrent.futures.ProcessPoolExecutor(
            options.jobs, initializer=count_as_source, initargs=(options.endings,)) as pool:
        cases = found_cases(pool, options, repositories)
        if options.wanted == 'used':
            cases = list(filter(None, (used.case(repositories[case['repo']], case) for case in cases)))
        if options.write_cases:
            with open(options.write_cases, 'w') as out:
                out.writelines(json.dumps(case) + '\n' for case in cases)
        if not cases:
            sys.exit('error: no cases')
        if options.only_cases:
            if options.checkouts:
                list(pool.map(checked_out, [repositories[case['repo']] for case in cases], cases,
                              [options.checkouts] * len(cases), [options.wanted] * len(cases)))
            return
        work = [pool.submit(measure, repositories[case['repo']], case, options) for case in cases]
        rows = []
        for at, done in enumerate(work):
            rows += done.result()
            say(f'\r{at + 1} of {len(cases)} cases', end='')
    say('')
    for row in rows:
        if row['error']:
            say(f"{row['case']} at {row['budget']}: {row['error']}")
    if options.json:
        with open(options.json, 'w') as out:
            json.dump(rows, out, indent=1)
    print('\n'.join(table(rows, options.budgets)))
    if options.wanted == 'beside':
        print('\n' + '\n'.join(by_kind(cases, rows, options.budgets)))
    if options.wanted == 'alone':
        print('\n' + '\n'.join(whole(rows, options.budgets)))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('repositories', nargs='+', metavar='REPOSITORY', help='a clone with its history, bare or not')
    parser.add_argument('--packer', default=BUILT if os.path.exists(BUILT) else 'packer', metavar='PATH',
                        help='the program [default: the release build of this checkout, else the one on PATH]')
    parser.add_argument('--cases', type=int, default=18, metavar='N', help='of each repository [default: 18]')
    parser.add_argument('--budgets', type=numbers, default=[4000, 8000, 16000, 32000], metavar='TOKENS,…',
                        help='[default: 4000,8000,16000,32000]')
    parser.add_argument('--wanted', choices=list(mine.SPLITS), default='source',
                        help='the source; what changes beside it: changelogs, documents, settings; for a reviewer, '
                             'a source file that is left out of the change; the source with nothing but the task; '
                             'or where other files declare what the change uses '
                             '[default: source]')
    parser.add_argument('--endings', type=lambda text: text.split(','), default=[], metavar='.ENDING,…',
                        help='of other languages whose files count as source as well')
    parser.add_argument('--issues', metavar='FILE',
                        help='take issues as cases, lines as the data sets of SWE-bench have them; implies --wanted alone')
    parser.add_argument('--role', help='whose prompt it is [default: implementer, and reviewer for a change]')
    parser.add_argument('--seed', default='1', help='which cases are chosen [default: 1]')
    parser.add_argument('--jobs', type=int, default=2, metavar='N',
                        help='processes; 1 for undisturbed times [default: 2]')
    parser.add_argument('--baselines', action='store_true', help='also measure: ' + BM25)
    parser.add_argument('--json', metavar='FILE', help='write every single result')
    parser.add_argument('--write-cases', metavar='FILE', help='write the cases, one JSON object a line')
    parser.add_argument('--read-cases', metavar='FILE', help='take these cases; `repo` is a name as in the table')
    parser.add_argument('--only-cases', action='store_true', help='measure nothing: for --write-cases and --checkouts')
    parser.add_argument('--checkouts', metavar='DIR', help='make the checkouts here, by the id of the case, and keep them')
    options = parser.parse_args()
    if options.checkouts:
        os.makedirs(options.checkouts, exist_ok=True)
    if options.issues:
        options.wanted = 'alone'
    options.role = options.role or ('reviewer' if options.wanted == 'left' else 'implementer')
    if options.cases < 1 or options.jobs < 1:
        parser.error('there is nothing to do')
    if os.sep in options.packer:
        options.packer = os.path.abspath(options.packer)
    return options


def numbers(text):
    return [int(number) for number in text.split(',')]


def named(paths):
    """The repositories by name: the last part of the path, as many as tell them apart."""
    parts = [os.path.abspath(path).removesuffix('.git').rstrip('/').split('/') for path in dict.fromkeys(paths)]
    found = {}
    for path, own in zip(dict.fromkeys(paths), parts):
        length = next(n for n in range(1, len(own) + 1)
                      if sum(other[-n:] == own[-n:] for other in parts) == 1 or n == len(own))
        name = '-'.join(own[-length:])
        found[name] = Repository(os.path.abspath(path), name)
    return found


def found_cases(pool, options, repositories):
    if options.read_cases:
        return given_cases(options, repositories)
    if options.issues:
        cases, lacking = issues.cases(options.issues, repositories)
        say(f'{len(cases)} cases; {lacking} issues are none: no such commit, or no source changes')
        return cases
    return mined(pool, options, repositories)


def mined(pool, options, repositories):
    work = {name: pool.submit(mine.cases, repository, options.cases, options.seed, options.wanted)
            for name, repository in repositories.items()}
    cases = []
    for name, done in work.items():
        candidates, found = done.result()
        say(f'{name}: {len(found)} cases of {candidates} candidates')
        cases += found
    return cases


def given_cases(options, repositories):
    with open(options.read_cases) as given:
        cases = [json.loads(line) for line in given]
    cases = [case for case in cases if case['repo'] in repositories]
    if options.wanted == 'alone':
        return [mine.alone(case) if case['target'] else case for case in cases]
    return cases


def measure(repository, case, options):
    """What comes of a case: a row for each budget and for each of what is compared."""
    with tempfile.TemporaryDirectory(prefix='packer-quality-') as folder:
        checkout = checked_out(repository, case, options.checkouts or folder, options.wanted)
        task = os.path.join(folder, 'task')
        with open(task, 'w') as out:
            out.write(case['task'] + '\n')
        prompts = [os.path.join(folder, f'prompt-{at}') for at in range(len(options.budgets))]

        def count(paths):
            return tokens(options.packer, folder, paths)
        used, orders = [], []
        for budget, prompt in zip(options.budgets, prompts):
            used.append(metered(prompt, [
                options.packer, '-C', checkout, '--tokenizer', TOKENIZER, 'prompt', *about(case, checkout, options),
                '--task-file', task, '--budget', str(budget)]))
            if options.wanted == 'alone':
                orders.append(opened(prompt))
        rows = judged(case, PACKER, options.budgets, prompts, count, used, orders)
        if options.baselines:
            files = baselines.ranked(repository, case, checkout, count, options.wanted)
            for budget, prompt in zip(options.budgets, prompts):
                with open(prompt, 'w') as out:
                    out.write(baselines.fitted(budget, files))
            orders = [[path for path, *_ in files]] * len(prompts) if options.wanted == 'alone' else []
            rows += judged(case, BM25, options.budgets, prompts, count, [{}] * len(prompts), orders)
    return rows


def about(case, checkout, options):
    """What a prompt is about, as options."""
    given = ['--role', options.role]
    if options.wanted == 'left':
        return [*given, '--diff', f'@{checkout}.diff']
    if options.wanted == 'alone':
        # With the report, which tells the order of the files.
        return [*given, '--format', 'json']
    return [*given, '--target', case['target']]


def opened(path):
    """Puts the prompt of a report into the place of the report, and tells which files it has as
    related ones, the likeliest first."""
    with open(path) as given:
        text = given.read()
    # A call that failed has written nothing.
    report = json.loads(text) if text else dict(prompt='', sections=[])
    with open(path, 'w') as out:
        out.write(report['prompt'])
    return [piece['path'] for section in report['sections'] if section['key'] == 'related'
            for piece in section['pieces']]


def checked_out(repository, case, folder, wanted):
    """Where the files before the commit are; they are put there whole or not at all. With one
    file left out, they are those after the commit but for that, and the diff lies beside."""
    name = case['id'] + ('-left' if wanted == 'left' else '')
    checkout = os.path.join(os.path.abspath(folder), name)
    if not os.path.exists(checkout):
        with tempfile.TemporaryDirectory(prefix='.', dir=os.path.dirname(checkout)) as half:
            made = os.path.join(half, 'made')
            if wanted == 'left':
                [left] = case['gold']
                diff = repository.check_out_without(case['parent'], case['commit'], left['path'], made)
                with open(f'{checkout}.diff', 'w', newline='') as out:
                    out.write(diff)
            else:
                repository.check_out(case['parent'], made)
            os.rename(made, checkout)
    return checkout


def metered(output, command):
    """Runs a command with its output into a file, and tells CPU seconds, bytes and any error."""
    meter = [sys.executable, '-I', '-S', os.path.join(HERE, 'meter.py'), str(PATIENCE), output]
    done = subprocess.run(meter + command, capture_output=True, text=True, errors='replace', check=True)
    used = json.loads(done.stdout)
    code = used.pop('code')
    return used if code == 0 else dict(used, error=f'exit code {code}: {done.stderr.strip()[-200:]}')


def tokens(packer, folder, paths):
    """The tokens of each file, as packer counts them."""
    found = []
    for at in range(0, len(paths), AT_ONCE):
        command = [packer, '--tokenizer', TOKENIZER, 'tokens', '--format', 'json', '--', *paths[at:at + AT_ONCE]]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
        found += [file['tokens'] for file in json.loads(done.stdout)]
    return found


def judged(case, what, budgets, prompts, count, used, orders=()):
    """A row for each prompt. One that failed or is over its budget shows nothing."""
    rows = []
    for at, (budget, prompt, tokens, used) in enumerate(zip(budgets, prompts, count(prompts), used)):
        row = dict(case=case['id'], repository=case['repo'], what=what, budget=budget, tokens=tokens,
                   over=tokens > budget, shown=0.0, target=0.0, kinds=[], cpu=None, peak=None, error=None)
        row.update(used)
        if orders:
            row['places'] = places(orders[at], [file['path'] for file in case['gold']])
        if not row['over'] and not row['error']:
            with open(prompt, errors='replace') as given:
                prompt = given.read()
            shares = [(file.get('kind'), shown(comparable(prompt, counts(file)), file['hunks'])) for file in case['gold']]
            row['shown'] = mean([share for _, share in shares])
            row['kinds'] = [share for share in shares if share[0]]
            if case['target_gold']:
                row['target'] = shown(comparable(prompt, counts(case['target_gold'])), case['target_gold']['hunks'])
        rows.append(row)
    return rows


def places(order, wanted):
    """At which place of an order, from 1, each wanted file is; None for one that is missing.
    Tests are passed over: they are never wanted here."""
    order = [path for path in order if path in wanted or not is_test(path)]
    return [order.index(path) + 1 if path in order else None for path in wanted]


def counts(file):
    """Which lines count: in the source no comments, in what changes beside it all."""
    return bool if 'kind' in file else says_something


def table(rows, budgets):
    """The table as lines of Markdown."""
    yield '| | cases | ' + ' | '.join(map(short, budgets)) + ' | over | CPU | memory |'
    yield '| --- ' * (len(budgets) + 5) + '|'
    for what in dict.fromkeys(row['what'] for row in rows):
        of = [row for row in rows if row['what'] == what]
        of_each = {}
        for row in of:
            of_each.setdefault(row['repository'], []).append(row)
        if what == PACKER:
            for name, own in of_each.items():
                yield line(name, own, [mean_at(own, budget) for budget in budgets])
        yield line(f'**{what}**', of, [mean([mean_at(own, b) for own in of_each.values()]) for b in budgets])


def by_kind(cases, rows, budgets):
    """The shares of the wanted files of each kind, each file counting the same."""
    yield '| | files | ' + ' | '.join(map(short, budgets)) + ' |'
    yield '| --- ' * (len(budgets) + 2) + '|'
    for what in dict.fromkeys(row['what'] for row in rows):
        for kind in [*KINDS, None]:
            files = sum(file['kind'] == kind or not kind for case in cases for file in case['gold'])
            of = [[share for row in rows if (row['what'], row['budget']) == (what, budget)
                   for own, share in row['kinds'] if own == kind or not kind] for budget in budgets]
            if files:
                cells = [f'{what}, {kind}' if kind else f'**{what}**', files]
                # A prompt that failed or is over its budget shows nothing.
                cells += [f'{100 * sum(shares) / files:.1f}' for shares in of]
                yield '| ' + ' | '.join(map(str, cells)) + ' |'


# Among how many of the first files all wanted ones are to be.
FIRST = (1, 5, 20)


def whole(rows, budgets):
    """In how many cases, in percent, all of the change is shown, one of the wanted files is the
    first of all, and all are among the first ones; each case counts the same. With the 95 %
    interval of each."""
    firsts = ' | '.join(f'all in first {n}' for n in FIRST)
    yield '| all of it | cases | ' + ' | '.join(map(short, budgets)) + f' | one first | {firsts} |'
    yield '| --- ' * (len(budgets) + len(FIRST) + 3) + '|'
    for what in dict.fromkeys(row['what'] for row in rows):
        of = [[row for row in rows if (row['what'], row['budget']) == (what, budget)] for budget in budgets]
        cells = [f'**{what}**', len(of[-1])]
        cells += [share_of([row['shown'] == 1.0 for row in own]) for own in of]
        cells.append(share_of([1 in row['places'] for row in of[-1]]))
        cells += [share_of([all(place and place <= n for place in row['places']) for row in of[-1]]) for n in FIRST]
        yield '| ' + ' | '.join(map(str, cells)) + ' |'


def share_of(hits):
    share = mean(hits)
    return f'{100 * share:.1f} ±{196 * (share * (1 - share) / len(hits)) ** 0.5:.1f}'


def line(name, rows, shares):
    cells = [name, len({row['case'] for row in rows})]
    cells += [f'{100 * share:.1f}' for share in shares]
    cells.append(sum(row['over'] for row in rows))
    times = [row['cpu'] for row in rows if row['cpu'] is not None]
    cells.append(f'{1000 * statistics.median(times):.0f} ms' if times else '')
    cells.append(f"{max(row['peak'] for row in rows) / 2**20:.0f} MiB" if times else '')
    return '| ' + ' | '.join(map(str, cells)) + ' |'


def mean_at(rows, budget):
    return mean([row['shown'] for row in rows if row['budget'] == budget])


def mean(numbers):
    return sum(numbers) / len(numbers)


def short(budget):
    return f'{budget // 1000}k' if budget % 1000 == 0 else str(budget)


def say(text, end='\n'):
    with contextlib.suppress(OSError):
        print(text, end=end, file=sys.stderr, flush=True)


if __name__ == '__main__':
    main()
