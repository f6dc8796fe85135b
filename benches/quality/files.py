"""Which files count as source, as a test, and as neither."""
import os
import re

# Endings of the languages whose history is used.
SOURCE = {'.py', '.pyi', '.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx', '.rs', '.go',
          '.java', '.kt', '.cs', '.c', '.h', '.cc', '.cpp', '.cxx', '.hpp', '.hh'}

# Folders of what somebody else wrote or a program makes.
FOREIGN = {'vendor', 'node_modules', 'third_party', 'third-party', 'deps', 'dist', 'deno_dist',
           'build', 'target', 'generated', '__generated__', '.yarn', 'bower_components', 'htdocs',
           'public'}
MADE = ('.min.js', '.d.ts', '_pb.py', '_pb2.py', '.pb.go', '.g.cs', '.Designer.cs')

# Folders of what goes along with a change, but is not the change.
ASIDE = {'fixture', 'fixtures', 'testdata', 'snapshot', 'snapshots', '__snapshots__', 'testproject',
         'sample', 'samples', 'doc', 'docs', 'website', 'example', 'examples', 'benchmark',
         'benchmarks', 'bench'}

TESTS = {'test', 'tests', '__tests__', 'spec', 'specs', 'testing', 'integration', 'runtime-tests',
         'runtime_tests', 'e2e'}
TESTS_END = ('.specs', '.tests', '-tests', '-test')
TEST_NAME = re.compile(r'^(test_|test-|conftest\.py$|tests?\.(rs|py|js|ts|c)$)'
                       r'|(\.test|\.spec|_test|-test)\.'
                       r'|(Tests?\.(java|cs|kt)|Specs?\.cs)$')


def folders(path):
    return path.split('/')[:-1]


def in_language(path):
    return os.path.splitext(path)[1].lower() in SOURCE


def is_foreign(path):
    return any(folder in FOREIGN for folder in folders(path)) or path.endswith(MADE)


def is_source(path):
    return in_language(path) and not is_foreign(path)


def is_aside(path):
    return any(folder in ASIDE for folder in folders(path))


def is_test(path):
    lower = [folder.lower() for folder in folders(path)]
    in_folder = any(folder in TESTS or folder.endswith(TESTS_END) or folder.startswith('test_')
                    for folder in lower)
    return in_folder or bool(TEST_NAME.search(path.split('/')[-1]))
