#!/usr/bin/env python3
"""Tests `packer mcp` with the command line of the official inspector.

    PACKER=target/debug/packer INSPECTOR=path/of/mcp-inspector python3 tests/mcp/inspector.py

Needs `@modelcontextprotocol/inspector` from npm; `.ci/mcp` says which version and installs it.
A second opinion, from another SDK: what `client.py` checks at length is only touched here.
"""
import json
import os
import subprocess
import sys

from sample import OUTSIDE, PLUS, Checks, Sample, packer

PACKER = packer()
INSPECTOR = os.environ.get('INSPECTOR') or 'mcp-inspector'
CHECKS = Checks()
check, equal = CHECKS.check, CHECKS.equal

PATIENCE = 120
TASK = 'Let a = b in plus(), "quoted"'
ROLE = {'role': 'auditor', 'task': TASK, 'target': ['src/lib.rs']}
# What a tool said that it could not do, by the inspector's exit code.
TOOL_FAILED = 5
# A good call of each tool, and what its text has in it.
CALLS = {
    'build_prompt': (ROLE, [TASK, PLUS, 'You read sums.']),
    'pack_context': (ROLE, [PLUS]),
    'read_files': ({'files': ['src/lib.rs', '../outside.txt']}, [PLUS, '[Error reading file: ']),
    'load_context': ({'budget': 2000}, ['Never panic.']),
    'explain': ({**ROLE, 'files': ['src/lib.rs']}, ['auditor with ', 'src/lib.rs: ']),
}


def inspect(sample, method, *options):
    """Asks one thing in a session of its own; the inspector's exit code and what it printed."""
    command = [INSPECTOR, '--cli', PACKER, 'mcp', '-C', sample.repo, '--quiet', '--format', 'json', '--method', method]
    done = subprocess.run([*command, *options], capture_output=True, text=True, cwd=sample.folder, timeout=PATIENCE,
                          env=sample.environment())
    try:
        return done.returncode, json.loads(done.stdout)['result']
    except (ValueError, KeyError):
        raise SystemExit(f'{method}: {done.returncode}\n{done.stdout}\n{done.stderr}') from None


def as_pair(name, value):
    """An argument as a person types it: a text as it is, anything else as JSON."""
    return f'{name}={value if isinstance(value, str) else json.dumps(value)}'


def call(sample, tool, arguments, era='legacy'):
    options = ['--tool-name', tool, '--protocol-era', era]
    for name, value in arguments.items():
        options += ['--tool-arg', as_pair(name, value)]
    return inspect(sample, 'tools/call', *options)


def everything(sample):
    code, listed = inspect(sample, 'tools/list', '--strict')
    # With `--strict`, a schema that hosts stumble over has a code of its own.
    equal('tools/list: it goes well', code, 0)
    equal('tools/list: the tools', [tool['name'] for tool in listed['tools']], list(CALLS))
    for tool in listed['tools']:
        check(f'{tool["name"]}: described, with schemas', tool['description'] and tool['inputSchema']['properties']
              and tool['outputSchema']['properties'], tool)
        check(f'{tool["name"]}: it only reads', tool['annotations']['readOnlyHint'] is True, tool['annotations'])

    for era in ('legacy', 'modern'):
        for tool, (arguments, wanted) in CALLS.items():
            code, result = call(sample, tool, arguments, era)
            equal(f'{era}: {tool}: it goes well', (code, result.get('isError', False)), (0, False))
            text = ''.join(content['text'] for content in result['content'])
            missing = [words for words in wanted if words not in text]
            check(f'{era}: {tool}: its text', not missing, f'{missing} not in: {text}')
            check(f'{era}: {tool}: its data', result.get('structuredContent'), result)
            check(f'{era}: {tool}: nothing leaks', OUTSIDE not in json.dumps(result), result)

    code, result = call(sample, 'build_prompt', {**ROLE, 'role': 'auditr'})
    equal('an unknown role: an error of the tool', (code, result.get('isError')), (TOOL_FAILED, True))
    check('an unknown role: what to do', 'did you mean `auditor`' in result['content'][0]['text'], result)

    code, listed = inspect(sample, 'prompts/list')
    equal('prompts/list: it goes well', code, 0)
    names = sorted(prompt['name'] for prompt in listed['prompts'])
    equal('prompts/list: the roles', names, ['auditor', 'implementer', 'planner', 'reviewer'])
    code, got = inspect(sample, 'prompts/get', '--prompt-name', 'auditor', '--prompt-args', as_pair('task', TASK),
                        as_pair('target', 'src/lib.rs'))
    _, built = call(sample, 'build_prompt', ROLE)
    equal('prompts/get: it goes well', code, 0)
    equal('prompts/get: the text of build_prompt', [message['content']['text'] for message in got['messages']],
          [content['text'] for content in built['content']])


def main():
    with Sample() as sample:
        try:
            everything(sample)
        except (Exception, SystemExit) as error:
            CHECKS.broke('the inspector', error)
    return CHECKS.end()


if __name__ == '__main__':
    sys.exit(main())
