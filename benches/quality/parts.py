"""The changed parts of a file as lines, and whether a prompt shows them."""
import bisect
import html
import re

# Lines around a change that belong to the part; more until the part is the only one like it.
AROUND = (2, 3, 4, 6, 8)
# A longer change is several pieces of about the second length.
LONG, PIECE = 14, 12
# What is shorter, in lines and in characters, could stand anywhere.
LEAST_LINES, LEAST_CHARACTERS = 3, 40

NUMBER = re.compile(r'^\s*\d+\s*[|:│\t→]\s?')
COMMENT = ('//', '/*', '# ', '#!', '##', '"""', "'''", '<!--', ';;')


def plain(line):
    """A line without what a prompt may do to it: its number before it, bars, other white
    space, references for characters."""
    line = NUMBER.sub('', line.replace('\ufeff', ''), count=1).lstrip('│⋮█ \t')
    if '&' in line and ';' in line:
        line = html.unescape(line)
    return ' '.join(line.split())


def says_something(line):
    """That a plain line is neither empty nor a comment."""
    if not line or line == '#' or line.startswith(COMMENT):
        return False
    return not (line[0] == '*' and not re.match(r'\w', line[1:2]))


def significant(text, counts=says_something):
    """The lines that count, with their places. In a document no line is a comment, whatever it
    begins with: there `counts` is `bool`."""
    lines = ((at, plain(line)) for at, line in enumerate(text.split('\n')))
    return [(at, line) for at, line in lines if counts(line)]


def block(lines):
    return '\n' + '\n'.join(lines) + '\n'


def comparable(text, counts=says_something):
    """A text in which `block`s can be searched."""
    return block([line for _, line in significant(text, counts)])


def pieces(lines, hunks, everything):
    """The pieces of each hunk with the significant lines around them, as `start` and `end`
    (from 1, the last one within) and `pieces`, lists of lines. Hunks without any are left out.

    `lines` are the significant ones of the file, `everything` is all source that there is,
    comparable."""
    places = [at for at, _ in lines]
    found = []
    for start, end in hunks:
        first, last = bisect.bisect_left(places, start), bisect.bisect_left(places, end)
        step = last - first
        if step > LONG:
            step = -(-step // -(-step // PIECE))
        cuts = [(at, min(at + step, last)) for at in range(first, last, step)] if step else [(first, last)]
        blocks = [unique(lines, *cut, everything) for cut in cuts]
        blocks = [b for b in blocks if len(b) >= LEAST_LINES or sum(map(len, b)) > LEAST_CHARACTERS]
        if blocks:
            found.append(dict(start=start + 1, end=end, pieces=blocks))
    return found


def unique(lines, first, last, everything):
    for around in AROUND:
        taken = [line for _, line in lines[max(0, first - around):last + around]]
        text = block(taken)
        once = everything.find(text)
        if everything.find(text, once + 1) < 0:
            break
    return taken


def shown(prompt, hunks):
    """The share of the hunks that a comparable prompt holds; of a hunk, the share of its pieces."""
    shares = [sum(block(piece) in prompt for piece in hunk['pieces']) / len(hunk['pieces']) for hunk in hunks]
    return sum(shares) / len(shares)
