#!/usr/bin/env python3
"""Tests the benchmark on a small repository whose result is known.

    PACKER=target/debug/packer benches/quality/test.py
"""
import json
import os
import subprocess
import tempfile
import types
import unittest

import baselines
import bench
import files
import issues
import mine
import parts
import used
from repository import Repository

STORE = [f'def step_{n}(store):\n    return store.value + {n}\n' for n in range(40)]
READER = [f'def read_{n}(log):\n    return log.record * {n}\n' for n in range(40)]
TESTS = [f'def test_read_{n}():\n    assert read_{n}(LOG) == {n}\n' for n in range(10)]
CHANGES = ['# Changes\n\n', '## Next\n', '\n', '* Steps have a store of their own.\n\n',
           *(f'## Version {n}\n\n* This is what version {n} did.\n\n' for n in range(40, 0, -1))]
GUIDE = ['Reader\n======\n\n', *(f'Part {n}\n------\n\nWhat is to be known of part {n}.\n\n' for n in range(1, 40))]
TASK = 'Skip broken records in the reader and in the steps of the store'


def changed(chunks, **new):
    """The chunks with some of them replaced, by `at_N`."""
    return [new.get(f'at_{at}', chunk) for at, chunk in enumerate(chunks)]


class History:
    """A repository of 160 KB with one commit that is a case, and others that are not."""

    def __init__(self, folder):
        self.folder = folder
        self.time = 1_500_000_000
        os.makedirs(folder)
        self.git('init', '-q', '-b', 'main')
        for n in range(40):
            lines = (f'def filler_{n}_{line}(first):\n    return first + {n * line}\n' for line in range(90))
            self.write(f'src/filler_{n}.py', lines)
        self.write('src/store.py', STORE)
        self.write('src/reader.py', READER)
        self.write('tests/test_reader.py', TESTS)
        self.write('vendor/copy.py', ['copied = 1\n'])
        self.write('CHANGES.md', CHANGES)
        self.write('docs/reader.rst', GUIDE)
        self.write('tox.ini', ['[testenv]\n', 'deps = pytest\n', 'commands = pytest {posargs} --strict-markers\n'])
        self.commit('The program as it was when it was begun')
        self.write('src/reader.py', changed(READER, at_3='def read_3(log):\n' + '    log.skip()\n' * 9))
        self.write('src/store.py', changed(STORE, at_5='def step_5(store, broken):\n    return 0\n',
                                           at_30='def step_30(store, broken):\n    return 0\n'))
        self.write('tests/test_reader.py', changed(TESTS, at_2='def test_broken():\n    assert read_3(LOG)\n'))
        self.write('CHANGES.md', changed(CHANGES, at_2='\n* Broken records of a log are passed over.\n'))
        self.write('docs/reader.rst', changed(GUIDE, at_7='Part 7\n------\n\nA broken record is skipped.\n\n'))
        self.write('LICENSE.md', ['Anybody may do anything.\n'])
        self.wanted = self.commit(TASK + ' (#7)\n\nFixes: #6\nSigned-off-by: A Person <a@example.org>\n')
        self.rework('first', 'Fix typos in what the reader and the store say')
        self.write('src/new.py', ['new = 1\n'])
        self.rework('second', 'Read the log through a door of its own')
        self.write('vendor/copy.py', ['copied = 2\n'])
        self.rework('third', 'Take over what the copied file does now')
        self.write('src/store.py', STORE * 30)
        self.commit('Make room for very many more steps in the store')
        self.git('checkout', '-q', '-b', 'side', 'HEAD~1')
        self.rework('fourth', 'Merge as a first word makes no task for anybody')
        self.git('checkout', '-q', 'main')
        self.git('merge', '-q', '-X', 'ours', '--no-edit', 'side')

    def rework(self, name, message):
        """A commit of the reader and the store that would be a case but for one thing."""
        self.write('src/reader.py', changed(READER, at_9=f'def {name}(log):\n' + '    log.next()\n' * 9))
        self.write('src/store.py', changed(STORE, at_9=f'def {name}(store):\n' + '    store.next()\n' * 9))
        self.commit(message if name != 'fourth' else 'Merge: ' + message)

    def write(self, path, chunks):
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, 'w') as out:
            out.writelines(chunks)

    def commit(self, message):
        self.git('add', '-A')
        self.git('commit', '-q', '-m', message)
        return self.git('rev-parse', 'HEAD').strip()

    def git(self, *arguments):
        self.time += 60
        date = f'{self.time} +0000'
        person = {f'GIT_{who}_{what}': of for who in ('AUTHOR', 'COMMITTER')
                  for what, of in (('NAME', 'A Person'), ('EMAIL', 'a@example.org'), ('DATE', date))}
        settings = ['-c', 'commit.gpgsign=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.autocrlf=false']
        return subprocess.run(['git', '-C', self.folder, *settings, *arguments], check=True, capture_output=True,
                              text=True, env={**os.environ, **person}).stdout


class Benchmark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.history = History(os.path.join(cls.temporary.name, 'tiny'))
        cls.repository = Repository(cls.history.folder, 'tiny')
        cls.candidates, cls.cases = mine.cases(cls.repository, 3, 'seed')

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_one_commit_is_a_case(self):
        self.assertEqual(self.candidates, 1)
        [case] = self.cases
        self.assertEqual(case['commit'], self.history.wanted)
        self.assertEqual(case['task'], TASK)
        self.assertEqual(case['target'], 'src/reader.py')
        places = {file['path']: [(hunk['start'], hunk['end']) for hunk in file['hunks']] for file in case['gold']}
        self.assertEqual(places, {'src/store.py': [(11, 12), (61, 62)], 'tests/test_reader.py': [(5, 6)]})

    def test_the_same_seed_chooses_the_same(self):
        self.assertEqual(mine.cases(self.repository, 3, 'seed')[1], self.cases)

    def test_a_part_is_shown_if_its_lines_follow_one_another(self):
        [store] = [file for file in self.cases[0]['gold'] if file['path'] == 'src/store.py']

        def share(chunks):
            return parts.shown(parts.comparable('before\n\n' + ''.join(chunks) + '\nafter'), store['hunks'])
        self.assertEqual(share(STORE), 1)
        self.assertEqual(share([]), 0)
        self.assertEqual(share(STORE[4:7]), 0.5)
        self.assertEqual(share(STORE[5:6]), 0)
        self.assertEqual(share(changed(STORE, at_29='')), 0.5)
        numbered = ''.join(STORE).splitlines()
        self.assertEqual(share(f'{at + 1:4} |\t{line}\n' for at, line in enumerate(numbered)), 1)
        self.assertEqual(share(line + '\n\n# a remark\n' for line in numbered), 1)

    def test_what_changes_beside_the_source_may_be_wanted(self):
        candidates, cases = mine.cases(self.repository, 3, 'seed', 'beside')
        self.assertEqual((candidates, len(cases)), (1, 1))
        [case] = cases
        self.assertEqual((case['target'], case['sources']), ('src/reader.py', 2))
        wanted = {file['path']: (file['kind'], [(hunk['start'], hunk['end']) for hunk in file['hunks']])
                  for file in case['gold']}
        self.assertEqual(wanted, {'CHANGES.md': ('changelog', [(5, 4)]), 'docs/reader.rst': ('document', [(37, 37)])})
        self.assertEqual(self.cases[0]['beside'], case['gold'])

    def test_a_file_may_be_left_out_of_a_change(self):
        candidates, cases = mine.cases(self.repository, 3, 'seed', 'left')
        self.assertEqual((candidates, len(cases)), (1, 1))
        [case] = cases
        [left] = case['gold']
        self.assertIn(left, self.cases[0]['gold'])
        checkout = bench.checked_out(self.repository, case, self.temporary.name, 'left')
        with open(os.path.join(checkout, 'src/reader.py')) as given:
            self.assertIn('log.skip()', given.read())
        with open(os.path.join(checkout, left['path'])) as given:
            self.assertEqual(given.read(), ''.join(STORE if 'store' in left['path'] else TESTS))
        with open(checkout + '.diff') as given:
            diff = given.read()
        self.assertIn('+++ b/src/reader.py', diff)
        self.assertNotIn(left['path'], diff)
        [prompt] = baselines.whole_files(self.repository, case, checkout, [60000], lambda paths: [9] * len(paths),
                                         'left')
        self.assertTrue(prompt.startswith('### diff') and left['path'] in prompt)

    def issue(self):
        """The commit of the history as an issue that it mends."""
        parent = self.cases[0]['parent']
        patch = self.history.git('diff', parent, self.history.wanted)
        return dict(instance_id='tiny-1', repo='somebody/tiny', base_commit=parent, patch=patch,
                    problem_statement='A broken record ends the step 30 of the store')

    def test_an_issue_is_a_case_with_what_its_patch_changes(self):
        path = os.path.join(self.temporary.name, 'issues.jsonl')
        others = [dict(self.issue(), repo='somebody/other'), dict(self.issue(), base_commit='0' * 40)]
        with open(path, 'w') as out:
            out.writelines(json.dumps(row) + '\n' for row in [self.issue(), *others])
        [case], lacking = issues.cases(path, {'tiny': self.repository})
        self.assertEqual(lacking, 1)
        self.assertEqual((case['task'], case['target']), (self.issue()['problem_statement'], None))
        whole = mine.alone(self.cases[0])
        self.assertEqual({file['path']: file['hunks'] for file in case['gold']},
                         {file['path']: file['hunks'] for file in whole['gold']})
        self.assertEqual(sorted(file['path'] for file in whole['gold']), ['src/reader.py', 'src/store.py'])

    def test_a_patch_tells_where_it_changes_each_file(self):
        patch = ('--- a/x.py\n+++ b/x.py\n@@ -2,4 +2,3 @@ def f():\n one\n-two\n+2\n three\n--- four\n'
                 '@@ -20,0 +21,1 @@\n+more\n--- /dev/null\n+++ b/y.py\n@@ -0,0 +1,1 @@\n+new\n')
        self.assertEqual(issues.changes(patch), {'x.py': [[2, 5], [20, 20]]})

    def test_the_place_of_what_is_wanted_passes_over_tests(self):
        order = ['tests/test_a.py', 'b.py', 'a.py', 'c.py']
        self.assertEqual(bench.places(order, ['a.py', 'c.py', 'd.py']), [2, 3, None])

    def test_whole_changes_are_counted_with_their_interval(self):
        rows = [dict(what=bench.PACKER, budget=4000, shown=shown, places=places)
                for shown, places in [(1.0, [1]), (0.5, [1, 7]), (1.0, [1, None]), (0.0, [5])]]
        self.assertEqual(list(bench.whole(rows, [4000]))[2:], [
            '| **packer** | 4 | 50.0 ±49.0 | 75.0 ±42.4 | 25.0 ±42.4 | 50.0 ±49.0 | 75.0 ±42.4 |'])

    def test_no_line_of_a_document_is_a_comment(self):
        [case] = mine.cases(self.repository, 3, 'seed', 'beside')[1]
        [changes] = [file for file in case['gold'] if file['path'] == 'CHANGES.md']
        head = ''.join(CHANGES[:5])
        self.assertEqual(parts.shown(parts.comparable(head, bench.counts(changes)), changes['hunks']), 1)
        self.assertEqual(parts.shown(parts.comparable(head), changes['hunks']), 0)

    def test_long_changes_are_shown_in_pieces(self):
        lines = [(at, f'line {at} of many') for at in range(100)]
        [hunk] = parts.pieces(lines, [(20, 50)], parts.block(line for _, line in lines))
        self.assertEqual([len(piece) for piece in hunk['pieces']], [14, 14, 14])
        half = parts.block(line for _, line in lines[:35])
        self.assertEqual(parts.shown(half, [hunk]), 1 / 3)

    def test_what_stands_twice_gets_more_lines_around_it(self):
        lines = [(at, f'line {at}') for at in range(20)]
        again = parts.block(line for _, line in lines[8:13])
        everything = parts.block(line for _, line in lines) + '\0' + again
        [hunk] = parts.pieces(lines, [(10, 11)], everything)
        self.assertEqual(len(hunk['pieces'][0]), 7)

    def test_a_checkout_has_no_later_commit(self):
        folder = os.path.join(self.temporary.name, 'checkout')
        case = self.cases[0]
        self.repository.check_out(case['parent'], folder)
        log = subprocess.run(['git', '-C', folder, 'log', '--all', '--format=%H'], check=True, capture_output=True,
                             text=True).stdout.split()
        self.assertEqual(log, [case['parent']])
        with open(os.path.join(folder, 'src/store.py')) as given:
            self.assertEqual(given.read(), ''.join(STORE))

    def test_files_are_told_by_their_paths(self):
        for path in ['src/a.py', 'a.min.css.ts', 'distance/a.go']:
            self.assertTrue(files.is_source(path), path)
        for path in ['dist/a.js', 'a.min.js', 'types.d.ts', 'a_pb2.py', 'Cargo.lock', 'a.md', 'x/vendor/y/a.go']:
            self.assertFalse(files.is_source(path), path)
        for path in ['tests/a.rs', 'a_test.go', 'src/FooTest.java', 'conftest.py', 'Core.Tests/A.cs', 'a.spec.ts',
                     'spec/a_spec.rb', 'tests/FooTest.php', 'lib/a_test.rb']:
            self.assertTrue(files.is_test(path), path)
        for path in ['lib/a.rb', 'src/A.php']:
            self.assertTrue(files.is_source(path), path)
        for path in ['src/latest.py', 'contest.py', 'attest/a.rs', 'src/a_specimen.rb']:
            self.assertFalse(files.is_test(path), path)

    def test_what_is_no_source_is_of_a_kind(self):
        for path, kind in [('CHANGES', 'changelog'), ('axum/CHANGELOG.md', 'changelog'), ('docs/a.rst', 'document'),
                           ('README', 'document'), ('Cargo.toml', 'build'), ('.github/workflows/ci.yml', 'build'),
                           ('requirements-dev.txt', 'build'), ('site/main.css', 'other'), ('db/schema.sql', 'other')]:
            self.assertEqual(files.kind(path), kind, path)
        for path in ['src/a.py', 'lib/a.rb', 'Cargo.lock', 'logo.svg', 'LICENSE', 'LICENSE-MIT.md', 'history.js',
                     'tests/fixtures/a.json', 'vendor/README.md', 'package-lock.json', 'a.snap', 'a.min.css']:
            self.assertIsNone(files.kind(path), path)

    def test_the_shares_of_each_kind_are_told(self):
        cases = [dict(gold=[dict(kind='changelog'), dict(kind='document')]), dict(gold=[dict(kind='document')])]
        rows = [dict(what=bench.PACKER, budget=4000, kinds=[('changelog', 1.0), ('document', 0.5)]),
                dict(what=bench.PACKER, budget=4000, kinds=[])]
        self.assertEqual(list(bench.by_kind(cases, rows, [4000]))[2:], [
            '| packer, changelog | 1 | 100.0 |', '| packer, document | 2 | 25.0 |', '| **packer** | 3 | 50.0 |'])

    def test_bm25_prefers_the_file_that_speaks_of_the_task(self):
        scores = baselines.bm25(['skipBroken records', 'other words here', 'records'], 'Skip broken records')
        self.assertEqual(sorted(range(3), key=lambda at: -scores[at]), [0, 2, 1])

    def test_the_table_averages_over_repositories(self):
        rows = [dict(case=case, repository=case[0], what=bench.PACKER, budget=4000, shown=shown, over=False,
                     cpu=0.1, peak=2**20) for case, shown in [('a1', 1.0), ('a2', 0.5), ('b1', 0.25)]]
        self.assertEqual(list(bench.table(rows, [4000]))[2:], [
            '| a | 2 | 75.0 | 0 | 100 ms | 1 MiB |',
            '| b | 1 | 25.0 | 0 | 100 ms | 1 MiB |',
            '| **packer** | 3 | 50.0 | 0 | 100 ms | 1 MiB |'])

    @unittest.skipUnless(os.environ.get('PACKER'), 'PACKER names no program')
    def test_a_reviewer_is_measured(self):
        options = types.SimpleNamespace(packer=os.path.abspath(os.environ['PACKER']), budgets=[60000],
                                        checkouts=None, baselines=True, wanted='left', role='reviewer')
        [case] = mine.cases(self.repository, 3, 'seed', 'left')[1]
        rows = bench.measure(self.repository, case, options)
        self.assertEqual([(row['error'], row['shown']) for row in rows], [(None, 1.0), (None, 1.0)])

    def test_what_a_change_uses_is_wanted_where_it_is_declared(self):
        folder = os.path.join(self.temporary.name, 'uses')
        os.makedirs(folder)
        history = object.__new__(History)
        history.folder, history.time = folder, 1_500_000_000
        history.git('init', '-q', '-b', 'main')
        history.write('a.py', ['def begin():\n    pass\n'])
        history.write('b.py', ['def read_whole(log):\n    pass\n\n\nclass Reader:\n    pass\n'])
        history.write('tests/test_b.py', ['def read_whole(log):\n    pass\n'])
        before = history.commit('Before')
        history.write('a.py', ['def begin():\n    # Unused\n    return read_whole(Reader())\n'])
        case = dict(parent=before, commit=history.commit('After'), target='a.py')
        made = used.case(Repository(folder, 'uses'), case)
        lines = [(file['path'], [hunk['pieces'] for hunk in file['hunks']]) for file in made['gold']]
        self.assertEqual(lines, [('b.py', [[['class Reader:']], [['def read_whole(log):']]])])
        java = '  public Ink mixInk(Pen pen) {\n    return mixInk(pen);\n  }\n'
        self.assertEqual([name for name, *_ in used.declared('a.java', java)], ['mixInk'])

    @unittest.skipUnless(os.environ.get('PACKER'), 'PACKER names no program')
    def test_a_task_alone_is_measured(self):
        options = types.SimpleNamespace(packer=os.path.abspath(os.environ['PACKER']), budgets=[60000],
                                        checkouts=None, baselines=True, wanted='alone', role='planner')
        rows = bench.measure(self.repository, issues.case(self.repository, self.issue()), options)
        self.assertEqual([(row['error'], row['shown']) for row in rows], [(None, 1.0), (None, 1.0)])
        self.assertTrue(all(all(row['places']) for row in rows), rows)

    @unittest.skipUnless(os.environ.get('PACKER'), 'PACKER names no program')
    def test_packer_is_measured(self):
        options = types.SimpleNamespace(packer=os.path.abspath(os.environ['PACKER']), budgets=[100, 60000],
                                        checkouts=None, baselines=True, wanted='source', role='implementer')
        rows = bench.measure(self.repository, self.cases[0], options)
        self.assertEqual([(row['what'], row['budget']) for row in rows],
                         [(what, budget) for what in (bench.PACKER, bench.BM25) for budget in (100, 60000)])
        for row in rows:
            self.assertIsNone(row['error'])
            self.assertEqual(row['shown'], 1.0 if row['budget'] == 60000 else 0.0)
        # What cannot be left out, the role's instructions and the task, is over 100 tokens.
        self.assertEqual([row['over'] for row in rows], [True, False, False, False])
        self.assertGreater(rows[0]['cpu'], 0)


if __name__ == '__main__':
    unittest.main()
