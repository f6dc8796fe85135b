// The page of `packer explain --html` and `packer preview`, in a real browser.
//
//   PACKER=path/of/packer CHROMIUM=path/of/browser PLAYWRIGHT=folder/of/node_modules node tests/browser/page.mjs
//
// With SHOTS=folder it also takes pictures there of the page on this project's own prompt.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PACKER = resolve(setting('PACKER'));
const CHROMIUM = setting('CHROMIUM');
const { chromium } = createRequire(`${resolve(setting('PLAYWRIGHT'))}/`)('playwright-core');

const HOSTILE = `<img src=x onerror="window.owned = 1"> </script><script>window.owned = 2</script> </style> &lt;b&gt; <!--`;
const LONG_PATH = `src/${'a_folder_with_a_long_name/'.repeat(6)}a_file_with_a_name_that_is_long_as_well.rs`;
const WIDE = { viewport: { width: 1400, height: 900 } };
const NARROW = { viewport: { width: 480, height: 800 } };

const folder = mkdtempSync(join(tmpdir(), 'packer-page-'));
const repo = join(folder, 'repo');
const count = { passed: 0, failed: 0, pages: 0 };
let browser;

function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`the variable ${name} is not set`);
  return value;
}

// ---- The repository and the pages ----

function write(path, text) {
  const file = join(repo, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function functions(name, many) {
  const one = (n) => `/// Adds ${n}.\npub fn ${name}_${n}(value: u64) -> u64 {\n    let sum = value + ${n};\n    sum\n}\n\n`;
  return Array.from({ length: many }, (_, n) => one(n)).join('');
}

function makeRepository() {
  write('AGENTS.md', `# Conventions\n\nEvery function has a test.\n\n${HOSTILE}\n`);
  write('docs/rules.md', '# Rules\n\nBe kind.\n');
  write('Cargo.toml', '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n');
  write('src/lib.rs', 'pub mod a;\npub mod b;\npub mod c;\n');
  write('src/a.rs', `use crate::b::b_1;\nuse crate::c::c_1;\n\n${functions('a', 120)}pub fn both() -> u64 {\n    b_1(1) + c_1(1)\n}\n`);
  write('src/b.rs', functions('b', 60));
  write('src/c.rs', `// ${'one very long line '.repeat(400)}\n${functions('c', 40)}`);
  write(LONG_PATH, functions('deep', 3));
  write('.packer/roles/docs.yaml', 'name: docs\nextends: implementer\ncontext:\n  include: ["**/*.md"]\n  exclude: [docs]\n');
  write('.packer/roles/many.yaml', 'name: many\nextends: docs\ncontext:\n  exclude: ["notes/**"]\n');
  for (let n = 1; n <= 30; n += 1) write(`notes/${n}.md`, `# Note ${n}\n`);
  write('.packer/roles/implementer.yaml', 'name: implementer\nextends: implementer\ncontext:\n  token_budget: 20000\n  always_include: [docs/rules.md]\n  tree: true\n');
  const git = (...args) => execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: repo, stdio: 'pipe' });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'one');
}

// Writes a page with `packer explain` and opens it; what the browser complains of
// and asks for is kept with it.
async function page(args, options = WIDE, role = 'implementer') {
  count.pages += 1;
  const file = join(folder, `page-${count.pages}.html`);
  const all = ['explain', '--role', role, '--task', `Rename a_1. ${HOSTILE}`, '--html', file, '-C', repo, ...args];
  execFileSync(PACKER, all, { stdio: 'pipe' });
  return open(pathToFileURL(file).href, options);
}

async function open(url, options = WIDE) {
  const tab = await browser.newPage(options);
  tab.errors = [];
  tab.requests = [];
  tab.setDefaultTimeout(10000);
  tab.on('console', (message) => ['error', 'warning'].includes(message.type()) && tab.errors.push(message.text()));
  tab.on('pageerror', (error) => tab.errors.push(String(error)));
  tab.on('request', (request) => tab.requests.push(request.url()));
  await tab.goto(url);
  await tab.waitForSelector('#state');
  return tab;
}

const isEmpty = (section) => section.status === 'empty';
const isCut = (section) => ['shrunk', 'dropped'].includes(section.status);
const isLess = (piece) => piece.tokens < piece.original_tokens;
const keysOf = (sections) => sections.map((section) => section.key);
const rowKeys = (tab) => tab.locator('#rows > details').evaluateAll((nodes) => nodes.map((node) => node.dataset.key));
const dataOf = async (tab) => JSON.parse(await tab.locator('#data').textContent());
const explanationOf = async (tab) => (await dataOf(tab)).explanation;
const selectedTab = (tab) => tab.locator('[role=tab][aria-selected=true]').getAttribute('id');
const focusedId = (tab) => tab.evaluate(() => document.activeElement.id);
const tokensOf = async (tab) => Number((await tab.locator('#tokens strong').textContent()).replaceAll(',', ''));

async function check(name, act) {
  try {
    await act();
    count.passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    count.failed += 1;
    console.log(`FAILED  ${name}\n        ${String(error.message).replaceAll('\n', '\n        ')}`);
  }
}

async function until(name, test) {
  const end = Date.now() + 10000;
  while (Date.now() < end) {
    if (await test()) return;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  throw new Error(`never came true: ${name}`);
}

// ---- Contrast ----

// The contrast ratio (WCAG) of each matching element's text on what is behind it.
function contrasts(tab, selector) {
  return tab.evaluate((wanted) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const rgba = (colour) => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (colour) => {
      const [r, g, b] = rgba(colour).map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
      for (let at = node; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (rgba(colour)[3] === 255) return colour;
      }
      return 'white';
    };
    return [...document.querySelectorAll(wanted)].filter((node) => node.textContent.trim() && node.checkVisibility()).map((node) => {
      const [low, high] = [luminance(getComputedStyle(node).color), luminance(behind(node))].sort((a, b) => a - b);
      return { ratio: (high + 0.05) / (low + 0.05), text: node.textContent.slice(0, 30) };
    });
  }, selector);
}

async function expectContrast(tab, selector) {
  const found = await contrasts(tab, selector);
  assert.ok(found.length > 0, `nothing matches ${selector}`);
  for (const { ratio, text } of found) assert.ok(ratio >= 4.5, `${selector}: ${ratio.toFixed(2)} at ${JSON.stringify(text)}`);
}

// ---- The static page ----

async function checkContents() {
  const tab = await page(['--target', 'src/a.rs']);
  const e = await explanationOf(tab);

  await check('the data has what the checks need', () => {
    assert.ok(e.sections.length >= 2, 'fewer than two sections');
    assert.ok(e.sections.some((section) => section.pieces.some((piece) => piece.path === 'src/a.rs')), 'no src/a.rs');
    assert.ok(e.prompt.some((segment) => segment.text.includes(HOSTILE)), 'the hostile text is not in the prompt');
  });

  await check('the header has the role, the tokens and the state', async () => {
    assert.equal(await tab.locator('h1').textContent(), e.role.name);
    assert.equal(await tab.locator('#tokens').textContent(),
      `${e.tokens.toLocaleString('en-US')} of ${e.budget.toLocaleString('en-US')} tokens`);
    assert.notEqual(await tab.locator('#state').textContent(), '');
  });

  await check('the prompt is on the page, byte for byte', async () => {
    const text = await tab.locator('#prompt').evaluate((node) => node.textContent);
    assert.equal(text, e.prompt.map((segment) => segment.text).join(''));
  });

  await check('text that looks like HTML stays text', async () => {
    assert.equal(await tab.evaluate(() => window.owned), undefined);
    assert.equal(await tab.locator('img').count(), 0);
    assert.ok((await tab.locator('#prompt').textContent()).includes(HOSTILE));
    assert.ok((await tab.locator('#task').textContent()).includes(HOSTILE));
  });

  await check('each section has its own colour and its entry', async () => {
    const there = keysOf(e.sections.filter((section) => !isEmpty(section)));
    const entries = tab.locator('#legend button[data-key]');
    assert.deepEqual(await entries.evaluateAll((nodes) => nodes.map((node) => node.dataset.key)), there);
    const colours = await entries.locator('.swatch').evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node).backgroundColor));
    assert.equal(new Set(colours).size, there.length, colours.join(' '));
    assert.deepEqual(await rowKeys(tab), keysOf(e.sections));
    const edges = await tab.locator('#rows > details').evaluateAll((nodes) => nodes.map((node) => [node.dataset.key, getComputedStyle(node).borderLeftColor]));
    assert.deepEqual(edges.filter(([key]) => there.includes(key)).map(([, colour]) => colour), colours);
  });

  await check('a segment has the colour of its section', async () => {
    const pairs = await tab.evaluate((keys) => [...document.querySelectorAll('.segment:not([data-section=""])')].map((node) => [
      getComputedStyle(node).borderLeftColor,
      getComputedStyle(document.querySelector(`#legend [data-key="${keys[node.dataset.section]}"] .swatch`)).backgroundColor,
    ]), keysOf(e.sections));
    assert.ok(pairs.length > 0);
    for (const [segment, legend] of pairs) assert.equal(segment, legend);
  });

  await check('the bar names each section that has tokens', async () => {
    const labels = await tab.locator('#bar [role=listitem]').evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label')));
    for (const { key, tokens } of e.sections) {
      if (tokens > 0) assert.ok(labels.some((label) => label.startsWith(`${key}: `)), `${key} is missing in ${labels}`);
    }
  });

  await check('the role view shows each value and its origin', async () => {
    await tab.keyboard.press('3');
    const rows = await tab.locator('#role-values tr').evaluateAll((nodes) => nodes.map((row) => {
      const origin = row.querySelector('.origin');
      return [row.cells[0].textContent, origin.title || origin.textContent];
    }));
    const expected = e.role_values.map(({ path, file, line }) => [path, file ? file + (line ? `:${line}` : '') : 'default']);
    assert.deepEqual(rows, expected);
    assert.deepEqual(await tab.locator('#chain .origin').evaluateAll((nodes) => nodes.map((node) => node.title)), e.role_chain);
    for (const [at, file] of e.role_chain.entries()) {
      const shown = await tab.locator('#chain .origin').nth(at).textContent();
      assert.ok(file.endsWith(shown.replace('…', '')), `${shown} stands for ${file}`);
    }
  });

  await check('the warnings are counted', async () => {
    assert.equal(await tab.locator('#warning-count').textContent(), String(e.warnings.length));
  });

  await check('nothing is complained of, nothing is asked for', () => {
    assert.deepEqual(tab.errors, []);
    assert.ok(tab.requests.every((url) => url.startsWith('file:')), tab.requests.join(' '));
  });
  await tab.close();
}

// The tile of src/a.rs, which is big enough to be there by itself.
const fileTile = (tab) => tab.locator('.tile.file[aria-label^="src/a.rs "]').first();

// The part is marked, has the focus and stands below the bar, and stays there.
async function expectAtTop(tab, { text = '', section = null }) {
  const isThere = () => tab.evaluate(([words, index]) => {
    const marked = document.querySelector('.segment.marked');
    const bar = document.getElementById('here').getBoundingClientRect();
    return marked === document.activeElement && marked.textContent.includes(words)
      && (index === null || marked.dataset.section === String(index))
      && Math.abs(marked.getBoundingClientRect().top - bar.bottom) < 4;
  }, [text, section]);
  await until('the part is marked and at the top', isThere);
  await tab.waitForTimeout(300);
  assert.ok(await isThere(), 'the part did not stay at the top');
}

async function checkMoving() {
  for (const [width, options] of [['wide', WIDE], ['narrow', NARROW]]) {
    await check(`a click on a tile goes to its file (${width})`, async () => {
      const tab = await page(['--target', 'src/a.rs'], options);
      await tab.keyboard.press('2');
      await fileTile(tab).click();
      assert.equal(await selectedTab(tab), 'tab-prompt');
      await expectAtTop(tab, { text: 'src/a.rs' });
      assert.ok((await tab.locator('#here-name').textContent()).includes('src/a.rs'));
      await tab.close();
    });
  }

  const tab = await page(['--target', 'src/a.rs']);
  await check('Enter on a tile goes to its file, Escape back', async () => {
    await fileTile(tab).focus();
    await tab.keyboard.press('Enter');
    await expectAtTop(tab, { text: 'src/a.rs' });
    await tab.keyboard.press('Escape');
    assert.ok((await tab.evaluate(() => document.activeElement.getAttribute('aria-label'))).startsWith('src/a.rs '));
  });

  await check('an entry of the legend goes to its section', async () => {
    const { sections, prompt } = await explanationOf(tab);
    const index = sections.findLastIndex((_, at) => prompt.some((segment) => segment.section === at));
    await tab.locator(`#legend button[data-key="${sections[index].key}"]`).click();
    await expectAtTop(tab, { section: index });
  });

  await check('arrow keys move between tiles, Tab leaves them', async () => {
    const label = () => tab.evaluate(() => document.activeElement.getAttribute('aria-label'));
    assert.equal(await tab.locator('.tile[tabindex="0"]').count(), 1);
    await tab.locator('.tile[tabindex="0"]').focus();
    const seen = new Set([await label()]);
    for (const key of ['End', 'Home', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft']) {
      await tab.keyboard.press(key);
      assert.ok(await tab.evaluate(() => document.activeElement.matches('.tile')), key);
      seen.add(await label());
    }
    assert.ok(seen.size > 2, [...seen].join(', '));
    await tab.keyboard.press('Tab');
    assert.ok(await tab.evaluate(() => !document.activeElement.matches('.tile')));
  });

  await check('keys switch the views', async () => {
    await tab.locator('#tab-prompt').click();
    await tab.keyboard.press('ArrowRight');
    assert.equal(await focusedId(tab), 'tab-sections');
    assert.equal(await selectedTab(tab), 'tab-sections');
    await tab.keyboard.press('End');
    assert.equal(await selectedTab(tab), 'tab-warnings');
    await tab.keyboard.press('ArrowRight');
    assert.equal(await selectedTab(tab), 'tab-prompt');
    for (const [key, name] of [['4', 'warnings'], ['3', 'role'], ['2', 'sections'], ['1', 'prompt']]) {
      await tab.keyboard.press(key);
      assert.equal(await selectedTab(tab), `tab-${name}`);
      assert.deepEqual(await tab.locator('[role=tabpanel]:visible').evaluateAll((nodes) => nodes.map((node) => node.id)), [`panel-${name}`]);
    }
    await tab.keyboard.press('/');
    assert.equal(await focusedId(tab), 'filter');
    await tab.keyboard.type('1');
    assert.equal(await selectedTab(tab), 'tab-sections');
  });

  await check('the filter finds a file', async () => {
    await tab.locator('#filter').fill('src/A.rs');
    const names = await tab.locator('.files tbody th').allTextContents();
    assert.ok(names.length > 0 && names.every((name) => name.includes('src/a.rs')), names.join(' '));
    await tab.locator('#filter').fill('no such file');
    assert.equal(await tab.locator('#rows > details').count(), 0);
  });

  await check('the focus is visible', async () => {
    await tab.locator('#tab-prompt').focus();
    await tab.keyboard.press('ArrowRight');
    assert.notEqual(await tab.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  });
  assert.deepEqual(tab.errors, []);
  await tab.close();
}

async function checkTightBudget() {
  const tab = await page(['--target', 'src/a.rs', '--budget', '3000']);
  const e = await explanationOf(tab);
  const cut = e.sections.filter(isCut);

  await check('a tight budget cuts, and the page says what', async () => {
    assert.ok(cut.length > 0, 'nothing was cut');
    assert.match(await tab.locator('#state').textContent(), /shrunk|dropped|over budget/);
    await tab.keyboard.press('2');
    for (const { key, status, why } of cut) {
      const row = tab.locator(`#rows > details[data-key="${key}"]`);
      assert.equal(await row.locator('.status').textContent(), status);
      assert.ok((await row.locator('.row-why').textContent()).includes(why));
    }
  });

  await check('only what was cut', async () => {
    await tab.locator('#show-cut').click();
    const expected = e.sections.filter((section) => isCut(section) || section.pieces.some(isLess));
    assert.deepEqual(await rowKeys(tab), keysOf(expected));
    await tab.locator('#show-all').click();
  });

  await check('a section opens to its files', async () => {
    const section = e.sections.find(({ pieces }) => pieces.some((piece) => piece.path));
    const row = tab.locator(`#rows > details[data-key="${section.key}"]`);
    await row.locator('summary').click();
    await row.locator('.files').waitFor();
    assert.equal(await row.locator('.files tbody tr').count(), Math.min(200, section.pieces.length));
  });

  await check('the whole sizes can be shown', async () => {
    await tab.locator('#map-whole').click();
    assert.equal(await tab.locator('#map-whole').getAttribute('aria-pressed'), 'true');
    assert.ok((await tab.locator('.tile.hatched').count()) > 0);
  });
  await tab.close();

  await check('over the budget', async () => {
    const over = await page(['--budget', '10']);
    const found = await explanationOf(over);
    assert.ok(found.tokens > 10);
    assert.equal(await over.locator('#state').textContent(), `over budget by ${(found.tokens - 10).toLocaleString('en-US')}`);
    assert.equal(await over.locator('.bar-over').count(), 1);
    await over.close();
  });

  await check('another tokenizer', async () => {
    const other = await page(['--tokenizer', 'calibrated']);
    assert.match(await other.locator('#facts').textContent(), /calibrated/);
    await other.close();
  });
}

const answers = (tab) => tab.locator('#answer-list > li').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

async function checkWhatIsOut() {
  const asked = ['src/a.rs', 'docs/rules.md', 'no/such.rs'];
  const tab = await page([...asked, '--target', 'src/a.rs', '--budget', '3000'], WIDE, 'docs');
  const e = await explanationOf(tab);
  const empty = e.sections.filter(isEmpty);

  await check('the data has what is out', () => {
    assert.ok(empty.length > 0, 'no section is empty');
    assert.ok(e.excluded.some(({ path }) => path.startsWith('docs')), JSON.stringify(e.excluded));
    assert.deepEqual(e.files.map(({ path }) => path), asked);
    assert.ok(e.sections.some(({ pieces }) => pieces.some(({ path, form }) => path === 'src/a.rs' && form !== 'full')), 'src/a.rs is whole');
  });

  await check('the answers come first', async () => {
    assert.equal(await selectedTab(tab), 'tab-sections');
    const shown = await answers(tab);
    assert.deepEqual(shown.map(([path]) => path), asked);
    assert.deepEqual(shown.map(([, , why]) => why), e.files.map(({ why }) => why));
    assert.deepEqual(shown.map(([, form]) => form), e.files.map(({ path, section: key }) => {
      const section = e.sections.find((found) => found.key === key);
      return section?.pieces.find((piece) => piece.path === path)?.form ?? key ?? 'absent';
    }));
    assert.ok(await tab.evaluate(() => document.getElementById('answers').getBoundingClientRect().bottom
      <= document.getElementById('rows').getBoundingClientRect().top));
  });

  await check('an answer leads to its file', async () => {
    await tab.locator('#answer-list').getByRole('button', { name: 'src/a.rs' }).click();
    await expectAtTop(tab, { text: 'src/a.rs' });
    await tab.keyboard.press('2');
  });

  await check('what is empty is told, and is no part of the legend', async () => {
    for (const { key, why, asked_by: askers } of empty) {
      const row = tab.locator(`#rows > details[data-key="${key}"]`);
      assert.equal(await row.locator('.status').textContent(), 'empty');
      assert.equal(await row.locator('.row-why').textContent(), why);
      assert.equal(await row.locator('.meter').count(), 0);
      await row.locator('summary').click();
      await row.locator('.row-body').waitFor();
      assert.deepEqual(await row.locator('.asked code').allTextContents(), askers.map(({ text }) => text));
      assert.equal(await tab.locator(`#legend [data-key="${key}"]`).count(), 0);
    }
    assert.doesNotMatch(await tab.locator('#state').textContent(), /empty/);
  });

  await check('only what is empty, and it is not what was cut', async () => {
    await tab.locator('#show-empty').click();
    assert.equal(await tab.locator('#show-empty').getAttribute('aria-pressed'), 'true');
    assert.deepEqual(await rowKeys(tab), keysOf(empty));
    assert.equal(await tab.locator('#show-empty .number').textContent(), String(empty.length));
    await tab.locator('#show-cut').click();
    assert.ok((await rowKeys(tab)).every((key) => !keysOf(empty).includes(key)));
    assert.ok(await tab.locator('#excluded').isHidden());
    await tab.locator('#show-all').click();
    assert.deepEqual(await rowKeys(tab), keysOf(e.sections));
  });

  await check('what is excluded is told with its pattern', async () => {
    assert.equal(await tab.locator('#excluded').getAttribute('open'), '');
    assert.deepEqual((await tab.locator('#excluded-list dd li').allTextContents()).sort(), e.excluded.map(({ path }) => path).sort());
    const said = await tab.locator('#excluded-list dt').allTextContents();
    for (const { excluded_by: by } of e.excluded) {
      assert.ok(said.some((words) => words.includes(by.text) && words.includes(`roles/docs.yaml:${by.line}`)), `${by.text} is missing in ${said}`);
    }
    await tab.locator('#filter').fill('src/');
    assert.ok(await tab.locator('#excluded').isHidden());
    await tab.locator('#filter').fill('DOCS');
    assert.ok(await tab.locator('#excluded').isVisible());
    await tab.locator('#filter').fill('');
  });
  for (const colorScheme of ['light', 'dark']) {
    await tab.emulateMedia({ colorScheme });
    await check(`contrast in ${colorScheme}: what is out`, () => expectContrast(tab, '#answers code, #answers .form-chip, #answers button, .nothing .row-why, .nothing .status, .number, #excluded .muted, #excluded li'));
  }
  assert.deepEqual(tab.errors, []);
  await tab.close();

  await check('many that are excluded are folded away, until asked for', async () => {
    const many = await page(['--target', 'src/a.rs'], NARROW, 'many');
    const { excluded, files } = await explanationOf(many);
    assert.ok(excluded.length > 20, `only ${excluded.length}`);
    assert.deepEqual(files, []);
    assert.equal(await selectedTab(many), 'tab-prompt');
    await many.locator('#tab-sections').click();
    assert.ok(await many.locator('#answers').isHidden());
    assert.equal(await many.locator('#excluded').getAttribute('open'), null);
    await many.locator('#excluded > summary').click();
    assert.ok(await many.locator('#excluded-list').isVisible());
    await many.locator('#show-cut').click();
    await many.locator('#show-all').click();
    assert.ok(await many.locator('#excluded-list').isVisible(), 'it did not stay open');
    assert.ok(await many.evaluate(() => document.documentElement.scrollWidth <= 480));
    await many.close();
  });
}

async function checkColours() {
  for (const colorScheme of ['light', 'dark']) {
    const tab = await page(['--target', 'src/a.rs', '--budget', '6000'], WIDE);
    await tab.emulateMedia({ colorScheme });
    for (const selector of ['.segment', '.tile', '.chunk', '#legend button', '.badge', '#tokens', '#facts', '.here-why', '[role=tab]']) {
      await check(`contrast in ${colorScheme}: ${selector}`, () => expectContrast(tab, selector));
    }
    await tab.keyboard.press('2');
    await tab.locator('summary').first().click();
    await check(`contrast in ${colorScheme}: sections`, () => expectContrast(tab, '.status, .form-chip, .row-name, .row-why, .muted, .files button'));
    await tab.keyboard.press('3');
    await check(`contrast in ${colorScheme}: role`, () => expectContrast(tab, '.origin, .role th, .role td'));
    await tab.close();
  }
}

async function checkNarrow() {
  const tab = await page(['--target', 'src/a.rs', '--target', LONG_PATH, '--budget', '8000'], NARROW);
  for (const name of ['prompt', 'sections', 'role', 'warnings']) {
    await check(`480 pixels are enough: ${name}`, async () => {
      await tab.locator(`#tab-${name}`).click();
      if (name === 'sections') await tab.evaluate(() => document.querySelectorAll('#rows > details, #excluded').forEach((row) => { row.open = true; }));
      await tab.waitForTimeout(100);
      const [width, shown] = await tab.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.equal(shown, 480);
      assert.ok(width <= 480, `the page is ${width} wide`);
    });
  }
  assert.deepEqual(tab.errors, []);
  await tab.close();
}

// ---- The live page ----

function startPreview() {
  const child = spawn(PACKER, ['preview', '--role', 'implementer', '--task', 'T', '-C', repo], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((done) => { child.on('exit', (code, signal) => done(code ?? signal)); });
  const url = new Promise((done, fail) => {
    let said = '';
    const listen = (bytes) => {
      said += bytes;
      const found = said.match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (found) done(found[0]);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    ended.then((code) => fail(new Error(`preview ended with ${code}: ${said}`)));
    child.on('error', fail);
    setTimeout(() => fail(new Error(`preview said no address: ${said}`)), 20000).unref();
  });
  return { child, ended, url };
}

async function checkLive() {
  const preview = startPreview();
  try {
    await checkLivePage(await preview.url, preview);
  } catch (error) {
    await check('the live page', () => { throw error; });
  } finally {
    preview.child.kill('SIGKILL');
  }
}

async function checkLivePage(url, preview) {
  const tab = await open(url);
  const promptHas = (text) => tab.locator('#prompt').evaluate((node, wanted) => node.textContent.includes(wanted), text);

  await check('live: a target named in the page is packed', async () => {
    await tab.locator('#field-targets').fill('src/a.rs');
    await until('src/a.rs is in the prompt', () => promptHas('pub fn a_1('));
    assert.match(await tab.locator('#updated').textContent(), /^Updated: /);
  });

  await check('live: another budget gives another count', async () => {
    const before = await tokensOf(tab);
    await tab.locator('#field-budget').fill('2500');
    await until('the tokens change', async () => (await tokensOf(tab)) !== before);
    assert.match(await tab.locator('#tokens').textContent(), /of 2,500 tokens$/);
    await tab.locator('#field-budget').fill('');
    await until('the role decides again', async () => !(await tab.locator('#tokens').textContent()).includes('2,500'));
  });

  await check('live: what can be chosen is what the program lists, and holds', async () => {
    const names = await tab.locator('#form select').evaluateAll((all) => all.map((node) => node.id));
    assert.deepEqual(names, ['field-prune', 'field-style', 'field-tokenizer']);
    const values = await tab.locator('#field-tokenizer option').evaluateAll((all) => all.map((node) => node.value));
    assert.deepEqual(values, ['', 'chars', 'calibrated', 'claude', 'claude-3', 'gemini', 'o200k', 'cl100k']);
    await tab.locator('#field-style').selectOption('xml');
    await until('sections are elements', () => promptHas('<section'));
    await tab.locator('#field-style').selectOption('');
    await until('the role decides again', async () => !(await promptHas('<section')));
  });

  await check('live: a new task is in the prompt', async () => {
    await tab.locator('#field-task').fill('Write about <b>elephants</b>');
    await until('the task is in the prompt', () => promptHas('Write about <b>elephants</b>'));
  });

  await check('live: a changed file is shown, the view stays', async () => {
    await tab.keyboard.press('Tab');
    await tab.locator('#tab-sections').click();
    write('src/a.rs', `${functions('a', 100)}pub fn brand_new() {}\n`);
    await until('the new text is in the prompt', () => promptHas('pub fn brand_new()'));
    assert.equal(await selectedTab(tab), 'tab-sections');
  });

  await check('live: the place in the prompt stays', async () => {
    await fileTile(tab).click();
    await expectAtTop(tab, { text: 'src/a.rs' });
    await tab.locator('#panel-prompt').evaluate((node) => node.scrollBy(0, 200));
    await tab.waitForTimeout(300);
    const top = () => tab.locator('.segment.marked').evaluate((node) => node.getBoundingClientRect().top);
    const before = await top();
    write('docs/rules.md', `# Rules\n\n${'Be kind.\n\n'.repeat(20)}zebras\n`);
    write('src/a.rs', `${functions('a', 100)}pub fn newer_still() {}\n`);
    await until('the new texts are in the prompt', async () => (await promptHas('zebras')) && (await promptHas('pub fn newer_still()')));
    await tab.waitForTimeout(300);
    assert.ok(Math.abs((await top()) - before) < 4, `${before} became ${await top()}`);
  });

  await check('live: nothing but the server is asked, nothing is complained of', () => {
    assert.deepEqual(tab.errors, []);
    assert.ok(tab.requests.every((asked) => asked.startsWith(url)), tab.requests.join(' '));
  });

  await check('live: a mistake is told, the last prompt stays', async () => {
    await tab.locator('#field-budget').fill('-5');
    await until('the mistake is told', () => tab.locator('#form-error').isVisible());
    assert.ok(await promptHas('pub fn newer_still()'));
    await tab.locator('#field-budget').fill('');
    await until('it is gone again', () => tab.locator('#form-error').isHidden());
  });

  await check('live: Ctrl-C ends the server well', async () => {
    preview.child.kill('SIGINT');
    const late = new Promise((done) => { setTimeout(() => done('still running'), 10000).unref(); });
    assert.equal(await Promise.race([preview.ended, late]), 0);
  });

  await check('live: the page says that the server is gone', async () => {
    await until('it is said', async () => (await tab.locator('#live').textContent()).startsWith('The server does not answer'));
    assert.ok(await promptHas('pub fn newer_still()'));
  });
  await tab.close();
}

// The pictures that the documents have.
async function takeShots() {
  const into = resolve(process.env.SHOTS);
  mkdirSync(into, { recursive: true });
  const file = join(folder, 'own.html');
  const own = ['--role', 'implementer', '--task', 'Let packer tokens take folders', '--target', 'src/cli/tokens.rs'];
  execFileSync(PACKER, ['explain', ...own, '--html', file], { stdio: 'pipe' });
  for (const [name, colorScheme] of [['The page by day', 'light'], ['The page by night', 'dark']]) {
    const tab = await open(pathToFileURL(file).href, { viewport: { width: 1280, height: 800 }, colorScheme });
    await tab.screenshot({ path: join(into, `${name.replaceAll(' ', '-')}.png`) });
    await tab.close();
  }
}

// ---- Run ----

// What a browser does by itself, without a page asking for it.
const QUIET = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

try {
  makeRepository();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
  const parts = [checkContents, checkMoving, checkTightBudget, checkWhatIsOut, checkColours, checkNarrow, checkLive];
  for (const part of process.env.SHOTS ? [...parts, takeShots] : parts) {
    try {
      await part();
    } catch (error) {
      await check(part.name, () => { throw error; });
    }
  }
} catch (error) {
  count.failed += 1;
  console.log(`FAILED  ${error.stack}`);
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed ? 1 : 0;
