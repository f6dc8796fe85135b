"""Which files count as source, as a test, and as neither."""
import os
import re

# Endings of the languages whose history is used.
SOURCE = {'.py', '.pyi', '.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx', '.rs', '.go',
          '.java', '.kt', '.cs', '.c', '.h', '.cc', '.cpp', '.cxx', '.hpp', '.hh', '.rb', '.php'}

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
                       r'|(\.test|\.spec|_test|-test|_spec)\.'
                       r'|(Tests?\.(java|cs|kt|php)|Specs?\.cs)$')


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


# Other endings of languages that programs are written in: a target may be in one of these
# where what is wanted is no source.
PROGRAMS = SOURCE | {'.swift', '.scala', '.lua', '.ex', '.exs', '.dart', '.zig', '.hs'}

# What a change to the source takes along, by name, path or ending.
CHANGES = {'changelog', 'changes', 'history', 'news', 'releases', 'release-notes', 'release_notes', 'whatsnew'}
DOCUMENTS = {'.md', '.mdx', '.markdown', '.rst', '.adoc', '.asciidoc', '.txt', '.rdoc', '.pod'}
BUILDS = {'cargo.toml', 'package.json', 'pyproject.toml', 'setup.cfg', 'tox.ini', 'makefile', 'gnumakefile',
          'cmakelists.txt', 'pom.xml', 'go.mod', 'gemfile', 'composer.json', 'dockerfile', 'justfile', 'pipfile',
          'tsconfig.json', 'pytest.ini', 'phpunit.xml.dist', 'phpunit.xml', 'meson.build', 'configure.ac',
          'build.gradle', 'settings.gradle', 'azure-pipelines.yml', 'appveyor.yml', '.travis.yml', '.gitlab-ci.yml',
          'deno.json', 'jsr.json', 'turbo.json', 'pnpm-workspace.yaml'}
BUILDS_END = ('.csproj', '.props', '.targets', '.gemspec', '.cmake', '.mk', '.am', '.gradle', '.gradle.kts')
CI = ('.github/workflows/', '.circleci/', '.buildkite/', 'ci/')
OTHERS = {'.css', '.scss', '.less', '.html', '.htm', '.sql', '.yaml', '.yml', '.json', '.jsonc', '.toml', '.ini', '.cfg',
          '.conf', '.xml', '.sh', '.bash', '.zsh', '.fish', '.ps1', '.proto', '.graphql', '.gql', '.j2', '.jinja',
          '.jinja2', '.tmpl', '.tpl', '.twig', '.erb', '.haml', '.hbs', '.mustache', '.ejs', '.vue', '.svelte', '.tcl',
          '.pl', '.pm', '.awk', '.bat', '.cmd', '.tf', '.nix', '.groovy'}
# What no person writes, or nobody changes along with the source.
MADE_BESIDE = ('.lock', '-lock.json', '-lock.yaml', '.sum', '.min.css', '.map', '.svg', '.snap')
LEGAL = {'license', 'licence', 'copying', 'notice', 'authors', 'contributors', 'patents'}
KINDS = ('changelog', 'document', 'build', 'other')


def kind(path):
    """Which of `KINDS` a file is that is no source; None if it is none."""
    name = path.split('/')[-1].lower()
    stem, ending = os.path.splitext(name)
    first = name.split('.')[0]
    legal = first.split('-')[0] in LEGAL
    if in_program(path) or is_foreign(path) or is_made_up(path) or legal or name.endswith(MADE_BESIDE):
        return None
    if first in CHANGES and (not ending or ending in DOCUMENTS):
        return 'changelog'
    if name in BUILDS or name.endswith(BUILDS_END) or path.startswith(CI) or re.match(r'requirements.*\.txt$', name):
        return 'build'
    if ending in DOCUMENTS or not ending and first in ('readme', 'contributing'):
        return 'document'
    return 'other' if ending in OTHERS else None


def in_program(path):
    return os.path.splitext(path)[1].lower() in PROGRAMS


def is_made_up(path):
    """That it is data of tests."""
    return any(folder in ASIDE - {'doc', 'docs', 'website', 'example', 'examples'} for folder in folders(path))
