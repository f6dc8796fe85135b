#!/usr/bin/env python3
"""How far the counts of `packer` are from the exact ones on real files, by language.

    calibrate.py [--learn] REPOSITORY…

Counts each file of the repositories' HEAD by `chars`, `calibrated` and the exact `o200k`, and
prints a table. With `--learn` it fits the counts of `calibrated` to the exact ones instead, and
writes `src/tokens/weights.rs`; that needs numpy and scipy. Learn from some repositories and
measure on others.

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

WEIGHTS = os.path.join(ROOT, 'src/tokens/weights.rs')
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
    parser.add_argument('--learn', action='store_true', help='write src/tokens/weights.rs')
    parser.add_argument('--packer', default=BUILT, metavar='PATH')
    options = parser.parse_args()
    names = ['o200k'] if options.learn else ['o200k', 'chars', 'calibrated']
    languages, texts, counts = [], [], collections.defaultdict(list)
    for path in options.repositories:
        found = files(Repository(os.path.abspath(path), path))
        languages += [language for language, _ in found]
        texts += [text for _, text in found] if options.learn else []
        for name in names:
            counts[name] += tokens(os.path.abspath(options.packer), name, [text for _, text in found])
    if options.learn:
        write(fit(languages, texts, counts['o200k']))
    else:
        print('\n'.join(table(languages, counts)))


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


def table(languages, counts):
    yield '| | files | characters ÷ 4: in all | a file | within 8 % | calibrated: in all | a file | within 8 % |'
    yield '| --- ' * 8 + '|'
    for language in [*sorted(set(languages), key=str.lower), None]:
        of = [at for at, own in enumerate(languages) if language in (own, None)]
        exact = [counts['o200k'][at] for at in of]
        cells = [language or '**all**', len(of)]
        for name in ['chars', 'calibrated']:
            own = [counts[name][at] for at in of]
            off = [abs(a / b - 1) for a, b in zip(own, exact)]
            cells += [f'{100 * (sum(own) / sum(exact) - 1):+.1f} %', f'{100 * statistics.median(off):.1f} %',
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


def write(prices):
    with open(WEIGHTS, 'w') as out:
        out.write('//! What pairs of bytes count. Made by `benches/tokens/calibrate.py`, not by hand.\n\n')
        out.write(f'/// A token has so many units.\npub(super) const UNITS_PER_TOKEN: usize = {UNITS};\n\n')
        out.write('/// The class of a line break, which is taken to stand before a text.\n')
        out.write(f"pub(super) const LINE_BREAK: u8 = {CLASSES.index('newline')};\n\n")
        classes = [f'{at} {name}' for at, name in enumerate(CLASSES)]
        out.write('/// The class of each byte: ' + ', '.join(classes[:8]) + ',\n')
        out.write('/// ' + ', '.join(classes[8:]) + '.\n')
        out.write('#[rustfmt::skip]\npub(super) const CLASSES: [u8; 256] = [\n')
        numbers = [CLASSES.index(kind(byte)) for byte in range(256)]
        out.writelines('    ' + ', '.join(map(str, numbers[at:at + SIDE])) + ',\n' for at in range(0, 256, SIDE))
        out.write(f'];\n\n/// The units of a byte, by the class of the one before (times {SIDE}) and by its own.\n')
        out.write(f'#[rustfmt::skip]\npub(super) const UNITS: [u16; {SIDE * SIDE}] = [\n')
        for at, name in enumerate(CLASSES + ['']):
            row = ', '.join(map(str, prices[at * SIDE:(at + 1) * SIDE]))
            out.write(f"    // After {name or 'nothing that there is'}.\n    {row},\n")
        out.write('];\n')


if __name__ == '__main__':
    main()
