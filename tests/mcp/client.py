#!/usr/bin/env python3
"""Tests `packer mcp` with the client of the official Python SDK, and with bare lines.

    PACKER=target/debug/packer python3 tests/mcp/client.py

Needs `mcp` and `jsonschema` from PyPI; `.ci/mcp` says which versions and installs them.
Everything is asked twice: after the `initialize` of old, and in the way without it.
"""
import asyncio
import json
import os
import subprocess
import sys
import threading

from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import PromptReference, ResourceTemplateReference
from sample import AUDITOR, BINARY, MAIN, OUTSIDE, PLUS, SECRETS, Checks, Sample, packer

PACKER = packer()
CHECKS = Checks()
check, equal = CHECKS.check, CHECKS.equal

# How the client says hello, and the version of the protocol that comes of it.
MODES = {'legacy': '2025-11-25', 'auto': '2026-07-28'}
INVALID_PARAMS = -32602
PATIENCE = 60

TOOLS = ['build_prompt', 'pack_context', 'read_files', 'load_context', 'explain']
# What has to be given to each tool.
REQUIRED = {'build_prompt': ['role'], 'pack_context': ['role'], 'read_files': ['files'], 'load_context': [],
            'explain': ['role']}
ROLES = {'implementer', 'planner', 'reviewer', 'auditor'}
TASK = 'Let plus() return an error where the sum is too large: café, 日本, "quoted" & <b>'
PROMPT = {'role': 'auditor', 'task': TASK, 'target': ['src/lib.rs']}


# ---- What answers look like ----

def text_of(result):
    """The one text of a result."""
    [content] = result.content
    assert content.type == 'text', content
    return content.text


def whole(result):
    return result.model_dump_json(by_alias=True)


def leaks(result):
    return [secret for secret in SECRETS if secret in whole(result)]


def inside(schema):
    """A schema and all schemas in it, each with where it stands."""
    found, rest = [], [('', schema)]
    while rest:
        place, here = rest.pop()
        if isinstance(here, list):
            rest += [(f'{place}/{at}', one) for at, one in enumerate(here)]
        elif isinstance(here, dict):
            found.append((place, here))
            rest += [(f'{place}/{key}', one) for key, one in here.items() if key not in ('default', 'const', 'enum')]
    return found


def without_description(schema):
    """The properties, at any depth, of which a schema does not say what they are."""
    return [f'{place}/{name}' for place, here in inside(schema) if not place.endswith('/properties')
            for name, one in here.get('properties', {}).items() if not one.get('description')]


def lost_references(schema):
    known = {f'#/$defs/{name}' for name in schema.get('$defs', {})}
    return [here['$ref'] for _, here in inside(schema) if '$ref' in here and here['$ref'] not in known]


def wrong_schema(schema):
    """What is wrong with a schema, if anything is."""
    wrong = [error.message for error in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema)]
    if schema.get('$schema') != Draft202012Validator.META_SCHEMA['$id']:
        wrong.append(f'its dialect is {schema.get("$schema")}')
    if schema.get('type') != 'object':
        wrong.append('it is not one of an object')
    return wrong + lost_references(schema)


def command_line(sample, *arguments):
    """What the same program prints when a person asks."""
    done = subprocess.run([PACKER, *arguments, '-C', sample.repo, '--quiet'], capture_output=True, text=True,
                          env=sample.environment(), check=True)
    return done.stdout


def as_options(arguments):
    options = ['--role', arguments['role'], '--task', arguments['task']]
    for path in arguments['target']:
        options += ['--target', path]
    return options


# ---- What the server says of itself ----

async def the_server(client, mode, _):
    equal('the protocol', client.protocol_version, MODES[mode])
    equal('its name', client.server_info.name, 'packer')
    version = subprocess.run([PACKER, '--version'], capture_output=True, text=True, check=True).stdout.split()[-1]
    equal('its version', client.server_info.version, version)
    check('its instructions', 'prompt' in client.instructions and 'read_files' in client.instructions,
          client.instructions)
    capabilities = client.server_capabilities.model_dump(exclude_none=True)
    equal('what it can do', sorted(capabilities), ['completions', 'prompts', 'resources', 'tools'])


async def the_tools(client, *_):
    listed = await client.list_tools()
    equal('the tools', [tool.name for tool in listed.tools], TOOLS)
    equal('all of them at once', listed.next_cursor, None)
    for tool in listed.tools:
        check(f'{tool.name}: described', len(tool.description or '') > 20 and tool.title, tool)
        for which, schema in (('input', tool.input_schema), ('output', tool.output_schema)):
            equal(f'{tool.name}: the {which} schema is valid', wrong_schema(schema or {}), [])
            equal(f'{tool.name}: all of the {which} is described', without_description(schema or {}), [])
        equal(f'{tool.name}: what is required', sorted(tool.input_schema.get('required', [])), REQUIRED[tool.name])
        check(f'{tool.name}: other arguments are ruled out', tool.input_schema.get('additionalProperties') is False)
        hints = tool.annotations
        equal(f'{tool.name}: it only reads', (hints.read_only_hint, hints.open_world_hint), (True, False))


# ---- Tools that do what they are asked ----

class Caller:
    """Calls tools, and checks what goes in and comes out by their schemas."""

    def __init__(self, client, tools):
        self.client = client
        self.tools = {tool.name: tool for tool in tools}

    def fits(self, name, arguments):
        return Draft202012Validator(self.tools[name].input_schema).is_valid(arguments)

    async def good(self, name, arguments, about=''):
        """The text and the data of a call that has to go well."""
        result = await self.client.call_tool(name, arguments)
        about = f'{name}{about}'
        check(f'{about}: no error', not result.is_error, whole(result))
        check(f'{about}: the arguments fit their schema', self.fits(name, arguments))
        schema, data = self.tools[name].output_schema, result.structured_content
        wrong = [f'{error.json_path}: {error.message}' for error in Draft202012Validator(schema).iter_errors(data)]
        equal(f'{about}: the answer fits its schema', wrong, [])
        equal(f'{about}: nothing that the schema lacks', sorted(set(data) - set(schema['properties'])), [])
        equal(f'{about}: nothing leaks', leaks(result), [])
        return text_of(result), data

    async def bad(self, about, name, arguments, *said, schema_knows=True):
        """A call that has to come back as an error which a model can act on."""
        try:
            result = await self.client.call_tool(name, arguments)
        except MCPError as error:
            check(f'{about}: an error of the tool, not of the protocol', False, f'{error.code}: {error}')
            return
        check(f'{about}: an error', result.is_error is True, whole(result))
        text = text_of(result)
        missing = [word for word in said if word not in text]
        check(f'{about}: it says what is wrong', text and not missing, f'{missing} not in: {text}')
        equal(f'{about}: nothing leaks', leaks(result), [])
        if schema_knows:
            check(f'{about}: the schema forbids it too', not self.fits(name, arguments))


async def building(call, sample):
    text, data = await call.good('build_prompt', PROMPT)
    equal('build_prompt: the text is the prompt', text, data['prompt'])
    check('build_prompt: the task is in it', TASK in text, text)
    check('build_prompt: the target is in it', f'### src/lib.rs\n\n```rust\n{PLUS}```' in text, text)
    check("build_prompt: the role's own words are in it", 'You read sums.' in text, text)
    check('build_prompt: the project speaks', 'Never panic.' in text and 'Every function has a test.' in text, text)
    equal('build_prompt: as on the command line', text.rstrip('\n'),
          command_line(sample, 'prompt', *as_options(PROMPT)).rstrip('\n'))
    equal("build_prompt: the role's budget", (data['budget'], data['over_budget']), (9000, False))
    check('build_prompt: within it', 0 < data['tokens'] <= 9000, data['tokens'])
    check('build_prompt: the target is reported', 'src/lib.rs' in
          [piece.get('path') for section in data['sections'] for piece in section['pieces']], data['sections'])

    every = {**PROMPT, 'role': 'implementer', 'template': 'planning.j2', 'extra': {'notes': 'A note of mine.'},
             'data': {'depth': 2}, 'budget': 4000, 'prune': 'drop', 'style': 'xml', 'tokenizer': 'chars',
             'strict': False}
    text, data = await call.good('build_prompt', every, ' with every argument')
    equal('build_prompt: the arguments hold', (data['template'], data['budget'], data['tokenizer']),
          ('planning.j2', 4000, 'chars'))
    check('build_prompt: written as asked for', '<section name="notes"' in text and 'A note of mine.' in text, text)

    text, data = await call.good('pack_context', PROMPT)
    equal('pack_context: the text is the prompt', text, data['prompt'])
    equal('pack_context: files alone', data['flow'], 'files')
    check('pack_context: the files without the task', PLUS in text and TASK not in text, text)
    equal('pack_context: as on the command line', text.rstrip('\n'),
          command_line(sample, 'pack', *as_options(PROMPT)).rstrip('\n'))
    await call.good('pack_context', {'role': 'planner'}, ' without a task')


async def reading(call, sample):
    text, data = await call.good('read_files', {'files': ['src/main.rs', 'src/lib.rs', 'src/main.rs']})
    equal('read_files: Markdown', text.strip(),
          f'### src/main.rs\n\n```rust\n{MAIN}```\n\n### src/lib.rs\n\n```rust\n{PLUS}```')
    equal('read_files: in order, each once', [(file['path'], file.get('content')) for file in data['files']],
          [('src/main.rs', MAIN), ('src/lib.rs', PLUS)])
    equal('read_files: nothing to warn of', data['warnings'], [])
    absolute = os.path.join(sample.repo, 'src/lib.rs')
    _, data = await call.good('read_files', {'files': [absolute]}, ' by an absolute path')
    equal('read_files: an absolute path inside is read', [file.get('content') for file in data['files']], [PLUS])
    two = ['src/lib.rs', 'AGENTS.md']
    _, data = await call.good('read_files', {'files': two, 'filter': '*.rs,*.py'}, ' that match')
    equal('read_files: the others are left out', [file['path'] for file in data['files']], ['src/lib.rs'])
    _, data = await call.good('read_files', {'files': two, 'max_files': 1}, ' up to a number')
    equal('read_files: it stops there, and says so', (len(data['files']), len(data['warnings'])), (1, 1))
    _, data = await call.good('read_files', {'files': ['src/lib.rs'], 'max_file_size': 5}, ' up to a size')
    check('read_files: no larger ones', 'content' not in data['files'][0] and '5' in data['files'][0]['error'], data)

    refused = {
        '../outside.txt': 'outside',
        'src/../../outside.txt': 'outside',
        os.path.join(sample.folder, 'outside.txt'): 'outside',
        '/etc/passwd': 'outside',
        '../nothing.txt': 'outside',
        'src/way_out.txt': 'outside',
        'src/folder_out/outside.txt': 'outside',
        'src': 'folder',
        'image.bin': 'Binary',
        'src/nothing.rs': 'no such file',
        'src/lib.rs\0.txt': 'NUL',
    }
    for path, why in refused.items():
        about = f' of {path!r}'.replace(sample.folder, '/...')
        text, data = await call.good('read_files', {'files': [path, 'src/lib.rs']}, about)
        first, second = data['files']
        error = first.get('error', '')
        check(f'read_files{about}: a message in its place', 'content' not in first and why in error, first)
        check(f'read_files{about}: in the text too', error and error in text, text)
        equal(f'read_files{about}: the other file is read', second.get('content'), PLUS)
    there, _ = await call.good('read_files', {'files': ['../outside.txt']}, ' that is there outside')
    missing, _ = await call.good('read_files', {'files': ['../nothing.txt']}, ' that is not there outside')
    equal('read_files: nobody learns what is there outside', there.replace('outside.txt', 'nothing.txt'), missing)


async def loading(call, _):
    text, data = await call.good('load_context', {})
    equal('load_context: the text is the summary', text, data['summary'])
    check('load_context: what the project says', 'Never panic.' in text and 'Task 59' in text, text)
    check('load_context: whole', not data['truncated'], data)
    names = [name.removesuffix('.md') for name in data['files']]
    equal('load_context: what was read', names, ['CONSTITUTION', 'TASKS'])
    check('load_context: what is missing', 'DECISIONS.md' in data['missing'], data['missing'])
    check('load_context: a link out is told', any(note.get('path') == '.context/LEARNINGS.md'
                                                 for note in data['warnings']), data['warnings'])
    text, data = await call.good('load_context', {'budget': 120, 'priority': ['TASKS']}, ' to a budget')
    check('load_context: cut to it', data['truncated'] and 0 < data['token_count'] <= 120, data)
    check('load_context: the constitution stays', 'Never panic.' in text, text)


async def explaining(call, sample):
    built, _ = await call.good('build_prompt', PROMPT, ' to explain')
    text, data = await call.good('explain', PROMPT)
    equal('explain: as on the command line', text, command_line(sample, 'explain', *as_options(PROMPT)))
    check('explain: a table', text.startswith('auditor with ') and 'target_file' in text and 'src/lib.rs' in text, text)
    check('explain: who asked', any('$TARGET' in asked['text'] for section in data['sections']
                                    for asked in section['asked_by']), data['sections'])
    equal('explain: no prompt by itself', data['prompt'], [])
    asked = ['src/lib.rs', 'src/way_out.txt', '../outside.txt', 'src/nothing.rs']
    text, data = await call.good('explain', {**PROMPT, 'files': asked, 'with_prompt': True}, ' of files')
    equal('explain: an answer for each file', [file['path'] for file in data['files']], asked)
    check('explain: the answers as a text', all(f'{path}: ' in text for path in asked), text)
    equal('explain: the whole prompt in parts', ''.join(part['text'] for part in data['prompt']), built)


# ---- Tools that cannot do what they are asked ----

async def mistakes(call, sample):
    for tool in ('build_prompt', 'pack_context', 'explain'):
        await call.bad(f'{tool}: an unknown role', tool, {**PROMPT, 'role': 'auditr'}, 'auditr',
                       'did you mean `auditor`', schema_knows=False)
        await call.bad(f'{tool}: a broken role', tool, {**PROMPT, 'role': 'broken'}, 'broken.yaml', schema_knows=False)
        await call.bad(f'{tool}: no role', tool, {'task': TASK}, 'role')
        await call.bad(f'{tool}: a role that is a link out', tool, {**PROMPT, 'role': 'linked'}, 'outside',
                       schema_knows=False)
        for path in ('.packer/roles/auditor.yaml', './auditor', 'auditor.yaml', '..', '../outside.yaml',
                     os.path.join(sample.folder, 'outside.yaml')):
            about = path.replace(sample.folder, '/...')
            await call.bad(f'{tool}: the role {about}', tool, {**PROMPT, 'role': path}, 'name of a role',
                           schema_knows=False)
        await call.bad(f'{tool}: a role as an object', tool, {**PROMPT, 'role': {'name': 'mine'}}, 'role')
        for path in ('../outside.txt', os.path.join(sample.folder, 'outside.txt'), 'src/way_out.txt',
                     'src/folder_out/outside.txt'):
            about = path.replace(sample.folder, '/...')
            await call.bad(f'{tool}: the target {about}', tool, {**PROMPT, 'target': [path]}, os.path.basename(path),
                           schema_knows=False)
        await call.bad(f'{tool}: a budget in words', tool, {**PROMPT, 'budget': 'much'}, 'budget')
        await call.bad(f'{tool}: a budget of nothing', tool, {**PROMPT, 'budget': 0}, 'budget')
        await call.bad(f'{tool}: a target that is no list', tool, {**PROMPT, 'target': 'src/lib.rs'}, 'target')
        await call.bad(f'{tool}: an unknown rule', tool, {**PROMPT, 'prune': 'burn'}, '`shrink`', '`drop`')
        await call.bad(f'{tool}: an unknown argument', tool, {**PROMPT, 'targets': ['src/lib.rs']}, '`targets`')
    for tool in ('build_prompt', 'explain'):
        await call.bad(f'{tool}: no task', tool, {'role': 'auditor'}, 'task', schema_knows=False)
        await call.bad(f'{tool}: a template that is not allowed', tool, {**PROMPT, 'template': '../outside.txt'},
                       'not allowed', schema_knows=False)
    await call.bad('build_prompt: strict', 'build_prompt', {**PROMPT, 'target': ['src/nothing.rs'], 'strict': True},
                   'src/nothing.rs', schema_knows=False)
    await call.bad('read_files: no files', 'read_files', {}, 'files')
    await call.bad('read_files: a text in place of a list', 'read_files', {'files': 'src/lib.rs'}, 'files')
    await call.bad('read_files: an unknown argument', 'read_files', {'files': ['src/lib.rs'], 'root': '/'}, '`root`')
    await call.bad('read_files: fewer files than none', 'read_files', {'files': ['src/lib.rs'], 'max_files': -1},
                   'max_files')
    await call.bad('load_context: an unknown argument', 'load_context', {'directory': '..'}, '`directory`')
    await call.bad('load_context: a wrong type', 'load_context', {'budget': 'much'}, 'budget')
    await call.bad('load_context: a priority that is no list', 'load_context', {'priority': 7}, 'priority')
    code = await protocol_error(call.client.call_tool('no_such_tool', {}), 'an unknown tool', 'no_such_tool')
    equal('an unknown tool: its code', code, INVALID_PARAMS)


async def protocol_error(asked, about, *said):
    try:
        result = await asked
    except MCPError as error:
        missing = [word for word in said if word not in str(error)]
        check(f'{about}: it says what is wrong', not missing, f'{missing} not in: {error}')
        equal(f'{about}: nothing leaks', [secret for secret in SECRETS if secret in str(error)], [])
        return error.code
    check(f'{about}: an error of the protocol', False, whole(result))
    return None


# ---- Prompts ----

async def the_prompts(client, _, sample):
    listed = (await client.list_prompts()).prompts
    equal('prompts: the roles', sorted(prompt.name for prompt in listed), sorted(ROLES))
    for prompt in listed:
        arguments = {argument.name: argument for argument in prompt.arguments}
        equal(f'{prompt.name}: its arguments', list(arguments), ['task', 'target', 'budget'])
        equal(f'{prompt.name}: what is required', [name for name, one in arguments.items() if one.required], ['task'])
        check(f'{prompt.name}: described', prompt.description and all(one.description for one in arguments.values()))
        got = await client.get_prompt(prompt.name, {'task': TASK})
        check(f'{prompt.name}: can be had', TASK in got.messages[0].content.text, whole(got))
    [auditor] = [prompt for prompt in listed if prompt.name == 'auditor']
    check("auditor: the role's description", auditor.description in AUDITOR, auditor.description)

    for about, given, same in (
        ('a prompt', {'task': TASK}, {}),
        ('a prompt with a target', {'task': TASK, 'target': 'src/lib.rs'}, {'target': ['src/lib.rs']}),
        ('a prompt with all', {'task': TASK, 'target': 'src/lib.rs\n src/main.rs \n\n', 'budget': '2500'},
         {'target': ['src/lib.rs', 'src/main.rs'], 'budget': 2500}),
    ):
        got = await client.get_prompt('auditor', given)
        built = await client.call_tool('build_prompt', {'role': 'auditor', 'task': TASK, **same})
        equal(f'{about}: one message of the user', [message.role for message in got.messages], ['user'])
        equal(f'{about}: the text of build_prompt', got.messages[0].content.text, text_of(built))
        check(f'{about}: of some length', len(text_of(built)) > 500, text_of(built))

    for about, name, given, said in (
        ('a prompt without a task', 'auditor', {}, 'task'),
        ('a prompt without anything', 'auditor', None, 'task'),
        ('a prompt with a blank task', 'auditor', {'task': ' '}, 'task'),
        ('an unknown prompt', 'auditr', {'task': TASK}, 'auditr'),
        ('a broken role as a prompt', 'broken', {'task': TASK}, 'broken.yaml'),
        ('a path as a prompt', '../outside.yaml', {'task': TASK}, 'name of a role'),
        ('a prompt with a target outside', 'auditor', {'task': TASK, 'target': '../outside.txt'}, 'outside.txt'),
        ('a prompt with a link out', 'auditor', {'task': TASK, 'target': 'src/way_out.txt'}, 'way_out.txt'),
        ('a prompt with a budget in words', 'auditor', {'task': TASK, 'budget': 'much'}, 'budget'),
        ('a prompt with a budget of nothing', 'auditor', {'task': TASK, 'budget': '0'}, 'budget'),
    ):
        code = await protocol_error(client.get_prompt(name, given), about, said)
        equal(f'{about}: its code', code, INVALID_PARAMS)


# ---- Resources, completion, progress ----

async def the_resources(client, _, sample):
    listed = (await client.list_resources(cache_mode='bypass')).resources
    roles = [str(one.uri) for one in listed if str(one.uri).startswith('packer://role/')]
    equal('resources: the roles', sorted(roles), sorted(f'packer://role/{name}' for name in ROLES))
    check('resources: described', all(one.description and one.mime_type for one in listed))
    [template] = (await client.list_resource_templates()).resource_templates
    equal('resources: the form of an address', template.uri_template, 'packer://role/{name}')
    role = await client.read_resource('packer://role/auditor', cache_mode='bypass')
    check('resources: a role', 'system_prompt' in role.contents[0].text, whole(role))
    equal('resources: nothing of the machine', leaks(role), [])
    built = await client.call_tool('build_prompt', {'role': 'auditor', 'task': TASK})
    report = await client.read_resource('packer://report', cache_mode='bypass')
    equal('resources: the last report', json.loads(report.contents[0].text), built.structured_content)
    await protocol_error(client.read_resource('packer://role/absent', cache_mode='bypass'), 'an absent role', 'absent')
    await protocol_error(client.read_resource('packer://role/../outside.yaml', cache_mode='bypass'),
                         'a path as a role', 'name of a role')

    completed = await client.complete(PromptReference(type='ref/prompt', name='auditor'),
                                      {'name': 'target', 'value': 'src/li'})
    equal('completion: a target', completed.completion.values, ['src/lib.rs'])
    completed = await client.complete(ResourceTemplateReference(type='ref/resource', uri=template.uri_template),
                                      {'name': 'name', 'value': 'audit'})
    equal('completion: a role', completed.completion.values, ['auditor'])

    steps = []

    async def told(progress, total, message):
        steps.append((progress, total, bool(message)))
    await client.call_tool('read_files', {'files': ['src/lib.rs']}, progress_callback=told)
    equal('progress', steps, [(0.0, 2.0, True), (1.0, 2.0, True), (2.0, 2.0, True)])


# ---- More than one call ----

async def several(client, _, sample):
    texts = await asyncio.gather(*(client.call_tool('build_prompt', {**PROMPT, 'task': f'Task number {n}.'})
                                   for n in range(2)),
                                 *(client.call_tool('read_files', {'files': ['src/lib.rs']}) for _ in range(2)),
                                 client.get_prompt('planner', {'task': 'Task number 4.'}))
    for n in range(2):
        check(f'at once: the answer to call {n}', f'Task number {n}.' in text_of(texts[n]), whole(texts[n]))
        check(f'at once: the answer to call {n + 2}', PLUS in text_of(texts[n + 2]), whole(texts[n + 2]))
    check('at once: the answer to a prompt', 'Task number 4.' in texts[4].messages[0].content.text)

    arguments = {'files': ['src/lib.rs']}
    for marker in ('pub fn minus() {}', 'pub fn minus_again() {}'):
        sample.write('repo/src/lib.rs', f'{PLUS}\n{marker}\n')
        for tool, given in (('read_files', arguments), ('build_prompt', PROMPT)):
            result = await client.call_tool(tool, given)
            check(f'edited: {tool} shows {marker!r}', marker in text_of(result), whole(result))
    sample.write('repo/src/lib.rs', PLUS)
    role = 'repo/.packer/roles/late.yaml'
    sample.write(role, 'name: late\ndescription: Comes late.\nextends: auditor\n')
    # The client may keep a list for as long as the server says, so it is told not to.
    listed = await client.list_prompts(cache_mode='bypass')
    check('edited: a new role is listed', 'late' in [prompt.name for prompt in listed.prompts])
    os.remove(os.path.join(sample.folder, role))


async def with_client(mode, sample):
    """All of the above, with one way to say hello."""
    server = StdioServerParameters(command=PACKER, args=['mcp', '-C', sample.repo], env=sample.environment())
    before = sample.contents()
    async with Client(server, mode=mode, read_timeout_seconds=PATIENCE) as client:
        call = Caller(client, (await client.list_tools()).tools)
        for part in (the_server, the_tools, the_prompts, the_resources, several):
            await guarded(part, client, mode, sample)
        for part in (building, reading, loading, explaining, mistakes):
            await guarded(part, call, sample)
    after = sample.contents()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    equal('the repository is as it was', changed, set())


async def guarded(part, *arguments):
    try:
        await part(*arguments)
    except Exception as error:
        CHECKS.broke(part.__name__, error)


async def other_folders(sample):
    more, src = (os.path.join(sample.folder, folder) for folder in ('more-roles', 'repo/src'))
    server = StdioServerParameters(command=PACKER, args=['mcp', '--roles-dir', more], cwd=src, env=sample.environment())
    async with Client(server, read_timeout_seconds=PATIENCE) as client:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        equal('--roles-dir: its roles too', sorted(names), sorted(ROLES | {'visitor'}))
        read = await client.call_tool('read_files', {'files': ['src/lib.rs']})
        check('without -C: the repository around the folder', PLUS in text_of(read), whole(read))


# ---- Bare lines ----

class Lines:
    """A server that is spoken to line by line."""

    def __init__(self, sample):
        self.process = subprocess.Popen([PACKER, 'mcp', '-C', sample.repo], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=sample.environment())
        # Whoever waits for a line in vain is freed by this.
        self.late = threading.Timer(PATIENCE, self.process.kill)
        self.late.daemon = True
        self.late.start()
        self.heard = []

    def send(self, line):
        self.process.stdin.write(line + b'\n')
        self.process.stdin.flush()

    def ask(self, number, method, **parameters):
        self.send(json.dumps({'jsonrpc': '2.0', 'id': number, 'method': method, 'params': parameters}).encode())

    def answer(self, number):
        """The answer with this number; all lines up to it are kept."""
        for line in self.process.stdout:
            self.heard.append(json.loads(line))
            if self.heard[-1].get('id') == number:
                return self.heard[-1]
        return None

    def hello(self):
        self.ask(1, 'initialize', protocolVersion='2025-06-18', capabilities={},
                 clientInfo={'name': 'lines', 'version': '1'})
        answer = self.answer(1)
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return answer

    def end(self):
        """Closes its input, and says how it ended and what it still said."""
        try:
            rest, complaints = self.process.communicate()
        except OSError:
            # It has gone already, and what was still to be said to it is lost.
            rest, complaints = b'', self.process.stderr.read()
            self.process.wait()
        self.late.cancel()
        # Of a server that died, the last line may be half a one.
        if self.process.returncode == 0:
            self.heard += [json.loads(line) for line in rest.splitlines()]
        return self.process.returncode, complaints.decode()


def ends_by_itself(sample):
    lines = Lines(sample)
    equal('lines: an older version of the protocol', lines.hello()['result']['protocolVersion'], '2025-06-18')
    lines.ask(2, 'ping')
    equal('lines: ping', lines.answer(2)['result'], {})
    equal('lines: it ends with its input', lines.end(), (0, ''))

    lines = Lines(sample)
    lines.hello()
    for number in range(10, 13):
        lines.ask(number, 'tools/call', name='build_prompt', arguments=PROMPT)
    equal('lines: it ends with its input while calls run', lines.end(), (0, ''))
    check('lines: nothing but messages on standard output', all(line['jsonrpc'] == '2.0' for line in lines.heard))


# What no client should send. After the number, the code of the error that has to come back
# where the line has a number to answer to.
GARBAGE = [
    (None, b'garbage'), (None, b''), (None, b'{'), (None, b'[]'), (None, b'null'), (None, b'{}'),
    (None, b'{"jsonrpc": "2.0"}'), (None, b'\xff\xfe\x00'), (None, b'x' * 2_000_000),
    (None, b'{"jsonrpc": "2.0", "method": "notifications/unheard_of"}'),
    (None, b'{"jsonrpc": "2.0", "id": 999, "result": {}}'),
    (None, b'[{"jsonrpc": "2.0", "id": 998, "method": "ping"}]'),
    (201, b'{"jsonrpc": "2.0", "id": 201, "method": "no/such"}'),
    (202, b'{"jsonrpc": "2.0", "id": 202, "method": "tools/call"}'),
    (203, b'{"jsonrpc": "2.0", "id": 203, "method": "tools/call", "params": {"name": "read_files", "arguments": [1]}}'),
]


def garbage(sample):
    for when in ('before hello', 'after hello'):
        lines = Lines(sample)
        try:
            if when == 'before hello':
                # A request before its time may well end the session; a line that is none may not.
                for _, line in GARBAGE[:3]:
                    lines.send(line)
            check(f'garbage {when}: hello', 'result' in (lines.hello() or {}))
            if when == 'after hello':
                for number, line in GARBAGE:
                    lines.send(line)
                    if number is not None:
                        check(f'garbage {when}: {line.decode()[:70]}', 'error' in (lines.answer(number) or {}))
            lines.ask(300, 'tools/call', name='read_files', arguments={'files': ['src/lib.rs']})
            answer = lines.answer(300) or {}
            files = answer.get('result', {}).get('structuredContent', {}).get('files')
            check(f'garbage {when}: it goes on', files and files[0]['content'] == PLUS, answer)
        except OSError as error:
            CHECKS.broke(f'garbage {when}', error)
        equal(f'garbage {when}: it ends well', lines.end()[0], 0)


# So many calls at once; what one call reads at most, in files of a megabyte each.
CROWD, LARGE = 16, 10


def crowd(sample):
    """Many calls at once: each is answered, with a prompt or with an error."""
    for tool in ('build_prompt', 'explain', 'read_files'):
        # Whether there is room for all of them is a matter of luck, so it is tried again.
        for _ in range(5):
            given = {'files': ['src/lib.rs']} if tool == 'read_files' else PROMPT
            answered = in_session(sample, tool, [given] * CROWD)
            if answered != (CROWD, 0):
                break
        equal(f'{CROWD} at once: {tool} answers all, and ends well', answered, (CROWD, 0))


def large(sample):
    """As much as one call may read: it is answered, and the server lives."""
    names = [f'large-{n}.txt' for n in range(LARGE)]
    for name in names:
        sample.write(f'repo/{name}', 'A "quoted" line of a large file.\n' * 30_000)
    calls = {'read_files': {'files': names}, 'build_prompt': {**PROMPT, 'target': names, 'budget': 4_000_000}}
    for tool, given in calls.items():
        equal(f'{LARGE} MB: {tool} answers, and ends well', in_session(sample, tool, [given]), (1, 0))
    for name in names:
        os.remove(os.path.join(sample.repo, name))


def in_session(sample, tool, calls):
    """How many of the calls, sent at once, are answered, and how the server ends."""
    lines = Lines(sample)
    lines.hello()
    answered = 0
    try:
        for number, arguments in enumerate(calls, 100):
            lines.ask(number, 'tools/call', name=tool, arguments=arguments)
        for line in lines.process.stdout:
            answered += 'result' in json.loads(line)
            if answered == len(calls):
                break
    except (OSError, ValueError):
        # It died; how many it had answered by then says nothing.
        pass
    return answered, lines.end()[0]


def wrong_options(sample):
    for option in (['-C', os.path.join(sample.folder, 'nowhere')], ['--tokenizer', 'fingers']):
        done = subprocess.run([PACKER, 'mcp', *option], input=b'', capture_output=True, env=sample.environment(),
                              timeout=PATIENCE)
        check(f'{option[0]}: told at once', done.returncode != 0 and option[1].encode() in done.stderr, done)
        equal(f'{option[0]}: not on standard output', done.stdout, b'')


def main():
    with Sample() as sample:
        # Where the links do not lead out, nothing would be tested.
        there = sample.contents()
        assert OUTSIDE.encode() in there['src/way_out.txt'] and BINARY.encode() in there['image.bin']
        for mode in MODES:
            CHECKS.about = mode
            try:
                asyncio.run(with_client(mode, sample))
            except Exception as error:
                CHECKS.broke('the session', error)
        CHECKS.about = ''
        for part in (ends_by_itself, garbage, crowd, large, wrong_options):
            try:
                part(sample)
            except Exception as error:
                CHECKS.broke(part.__name__, error)
        asyncio.run(guarded(other_folders, sample))
    return CHECKS.end()


if __name__ == '__main__':
    sys.exit(main())
