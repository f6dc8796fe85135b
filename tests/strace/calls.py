#!/usr/bin/env python3
"""What `packer` asks the system for, seen by strace: see docs/hardening.md.

    PACKER=target/debug/packer calls.py

Runs each command on a small repository and fails if one starts a program other than packer
itself, opens a socket to anywhere, or opens a file that is neither the repository's, nor the
cache's, nor named below. Needs strace, git and Python 3.9, on Linux.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PACKER = os.path.realpath(os.environ.get('PACKER', 'target/debug/packer'))
CALLS = 'trace=execve,execveat,socket,connect,bind,sendto,open,openat,openat2,creat'
# What every program of this system opens, and what the standard library asks about itself.
OPEN = [
    r'/etc/ld\.so\.', r'/(usr/)?lib', r'/proc/self/', r'/proc/thread-self/',
    r'/sys/fs/cgroup/',         # how many processors there are to use
    r'/proc/(stat|cpuinfo|meminfo|sys/)', r'/sys/devices/system/cpu',
    r'/dev/(null|tty|urandom|random)$',
    r'/etc/(localtime|gitconfig)$',
]
LINE = re.compile(r'^\d+\s+(\w+)\((.*)\)?\s+= (-?\d+)')
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        repository, home = os.path.join(folder, 'repo'), os.path.join(folder, 'home')
        fill(repository)
        os.makedirs(home)
        batch = json.dumps({'role': 'planner', 'task': 'Greet', 'target': ['src/main.rs']}) + '\n'
        task = ['-t', 'Greet', '--target', 'src/main.rs']
        commands = [
            (['render', 'implement.j2', '--role', 'implementer', *task], ''),
            (['render', 'planning.j2', '--role', 'planner', *task, '--messages', '--format', 'json'], ''),
            (['prompt', '--role', 'reviewer', *task, '--worktree'], ''),
            (['pack', '--role', 'reviewer', '-o', os.path.join(folder, 'out.md')], ''),
            (['explain', '--role', 'planner', *task], ''),
            (['batch'], batch), (['dump'], ''), (['read', 'src/main.rs'], ''), (['context'], ''),
            (['build', 'review', '--base', 'HEAD'], ''),
            (['tokens', 'src/main.rs'], ''), (['truncate', '--max-lines', '2', 'src/main.rs'], ''), (['fit'], '{"a": "b"}'),
            (['roles', 'list'], ''), (['roles', 'check'], ''), (['templates', 'list'], ''),
            (['templates', 'check'], ''), (['schema', 'request'], ''), (['mcp'], ''), (['help'], ''),
        ]
        missed = {'starts', 'opens', 'socket'} - set(control(folder, repository, home))
        if missed:
            sys.exit(f'error: strace does not show what {sys.executable} does: {missed}')
        for arguments, given in commands:
            wrong = list(seen(folder, repository, home, [PACKER, *arguments], given))
            failed += bool(wrong)
            print(f"{'FAILED' if wrong else 'ok':8}packer {' '.join(arguments[:3])}")
            for line in wrong:
                print(f'        {line}')
    print(f'{len(commands)} commands, {failed} failed')
    sys.exit(failed > 0)


def control(folder, repository, home):
    """What is found of a program that does everything that is not to be done."""
    does = 'import socket, subprocess; socket.socket(); open("/etc/passwd"); subprocess.run(["true"])'
    for line in seen(folder, repository, home, [sys.executable, '-c', does], ''):
        yield re.match(r'\d+ +socket|', line).group()[-6:] or line.split()[0]


def fill(repository):
    texts = {
        'src/main.rs': 'mod greet;\n\nfn main() {\n    greet::greet();\n}\n',
        'src/greet.rs': 'pub fn greet() {\n    println!("Hello");\n}\n',
        '.context/GOALS.md': '# Goals\n\n- Greet.\n', 'AGENTS.md': 'Every function has a test.\n',
    }
    for path, text in texts.items():
        os.makedirs(os.path.dirname(os.path.join(repository, path)), exist_ok=True)
        with open(os.path.join(repository, path), 'w') as out:
            out.write(text)
    run = ['git', '-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b']
    for command in (['init', '-q'], ['add', '.'], ['commit', '-qm', 'Greet']):
        subprocess.run(run + command, check=True)
    with open(os.path.join(repository, 'src/greet.rs'), 'a') as out:
        out.write('\npub fn part() {}\n')


def seen(folder, repository, home, command, given):
    """What a command asks for that it is not to ask for."""
    trace = os.path.join(folder, 'trace')
    done = subprocess.run(['strace', '-f', '-qq', '-s', '4096', '-e', CALLS, '-o', trace, *command],
                          cwd=repository, env={'HOME': home, 'PATH': os.environ['PATH']}, input=given,
                          text=True, capture_output=True, timeout=300)
    if done.returncode:
        yield f'fails: {done.stderr[:300]}'
    calls = 0
    with open(trace, errors='replace') as lines:
        for line in lines:
            call = LINE.match(line.replace(' <unfinished ...>', ') = 0'))
            if not call:
                continue
            calls += 1
            name, what, result = call.groups()
            text = TEXT.search(what)
            path = text.group(1) if text else ''
            if name in ('execve', 'execveat'):
                if path not in (PACKER, '/proc/self/exe'):
                    yield f'starts {path}'
            elif name in ('socket', 'connect', 'bind', 'sendto'):
                yield line.strip()
            elif path.startswith('/') and result != '-1' and not is_known(path, folder):
                yield f'opens {path}'
    if calls < 5:
        yield f'only {calls} calls could be read'


def is_known(path, folder):
    """Relative paths are opened beneath a folder that was opened before."""
    inside = os.path.normpath(path)
    own = inside == folder or inside.startswith(folder + '/') or inside == PACKER
    return own or any(re.match(pattern, path) for pattern in OPEN)


if __name__ == '__main__':
    main()
