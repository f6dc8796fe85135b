'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($('data').textContent);
  const TABS = ['prompt', 'sections', 'role', 'warnings'];
  const FILES_AT_ONCE = 200;
  const EXCLUDED_AT_ONCE = 20;
  // No more are in the data.
  const EXCLUDED_AT_MOST = 200;
  const CHUNK = 12000;
  // Names that say nothing without their folder.
  const SAME_NAMES = /^(__init__|index|mod|lib|main)\.\w+$/;

  // By the golden angle, so that neighbours are far from one another.
  const HUES = Object.fromEntries(data.sections.map((key, at) => [key, Math.round((292 + at * 137.508) % 360)]));
  const EXTRA_HUES = [84, 307, 167, 335, 57, 277, 111];
  const CHAIN_HUES = [262, 43, 150, 322, 98, 210];
  const extraHues = new Map();

  // What the reader chose; it outlives every new rendering.
  const view = {
    tab: 'prompt', explanation: null, version: data.version ?? 0, segments: [], tiles: [],
    whole: false, show: 'all', open: new Set(), openExcluded: null, allFiles: new Set(),
    here: null, marked: null, back: null, hold: 0, mapSize: '',
  };

  // ---- Small helpers ----

  // Children that are strings become text nodes, so data never is markup.
  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  const grouped = (number) => Number(number).toLocaleString('en-US');
  const plural = (number, word) => `${grouped(number)} ${word}${number === 1 ? '' : 's'}`;
  const sum = (items, size) => items.reduce((total, item) => total + size(item), 0);
  const place = (file, line) => (file ? file + (line ? `:${line}` : '') : '');
  const placeNode = (file, line, attributes) => el('span', { ...attributes, title: place(file, line) }, place(shortFile(file), line));
  const button = (text, attributes, onclick) => el('button', { type: 'button', ...attributes, onclick }, text);
  const tail = (path, parts) => path.split('/').slice(-parts).join('/');
  const isEmpty = (section) => section.status === 'empty';
  const isCut = (section) => section.status === 'shrunk' || section.status === 'dropped';
  // A remark in place of a file that is shown elsewhere is `omitted`, and yet nothing is lost.
  const isLess = (piece) => piece.tokens < piece.original_tokens;
  const has = (text, query) => (text ?? '').toLowerCase().includes(query);

  // What stands before the folder of the project says little, and says it on every line.
  function shortFile(file) {
    const at = file?.startsWith('/') ? file.lastIndexOf('/.packer/') : -1;
    if (at >= 0) return file.slice(at + 1);
    return file?.startsWith('/') && file.split('/').length > 5 ? `…/${tail(file, 3)}` : file;
  }

  // A path that may break after each slash.
  const pathText = (path) => el('span', {}, ...path.split(/(?<=\/)/).flatMap((part) => [part, el('wbr')]));

  // The section and the piece that a segment, or anything else with their numbers, speaks of.
  function partsOf(e, { section, piece }) {
    const whole = e.sections[section] ?? null;
    return [whole, whole?.pieces[piece] ?? null];
  }

  function hueOf(key) {
    if (Object.hasOwn(HUES, key)) return HUES[key];
    if (!extraHues.has(key)) extraHues.set(key, EXTRA_HUES[extraHues.size % EXTRA_HUES.length]);
    return extraHues.get(key);
  }

  // Without a hue it is grey.
  function tone(node, hue, chroma = 1) {
    node.classList.add('toned');
    node.style.setProperty('--hue', hue ?? 0);
    node.style.setProperty('--chroma', hue === null ? 0 : chroma);
    return node;
  }

  // Extra sections are paler, or their hues were too near to the others.
  function toneOf(node, section) {
    if (!section || isEmpty(section)) return tone(node, null);
    return tone(node, hueOf(section.key), Object.hasOwn(HUES, section.key) ? 1 : 0.55);
  }

  const swatch = () => el('span', { class: 'swatch' });

  function pieceName(section, piece) {
    return piece.path ?? (section.pieces.length === 1 ? section.heading : 'text');
  }

  function amount(tokens, whole) {
    return tokens === whole ? `${grouped(tokens)} tokens` : `${grouped(tokens)} of ${grouped(whole)} tokens`;
  }

  // ---- Header ----

  function state(e) {
    if (e.tokens > e.budget) return ['over', `over budget by ${grouped(e.tokens - e.budget)}`];
    if (e.over_budget) return ['over', 'over budget: required text was cut'];
    const count = (status) => e.sections.filter((section) => section.status === status).length;
    const parts = ['shrunk', 'dropped'].filter(count).map((status) => `${count(status)} ${status}`);
    if (!parts.length) return ['fits', 'fits'];
    return ['cut', parts.join(', ')];
  }

  function renderHeader(e) {
    document.title = `${e.role.name} · ${e.targets.join(', ') || 'no target'} · packer`;
    $('role-name').textContent = e.role.name;
    const flows = { template: e.template ?? 'template', whole: 'no template', files: 'files only' };
    const facts = [flows[e.flow] ?? e.flow, `tokenizer ${e.tokenizer}`, `prune ${e.prune}`, e.style, ...e.targets];
    $('facts').replaceChildren(...facts.map((fact) => el('li', { title: fact }, fact)));
    $('tokens').replaceChildren(el('strong', {}, grouped(e.tokens)), ` of ${grouped(e.budget)} tokens`);
    const [kind, words] = state(e);
    $('state').className = `badge ${kind}`;
    $('state').textContent = words;
    const cut = e.sections.filter(isCut).map((section) => `${section.key}: ${section.status}`);
    $('state').title = cut.join('\n');
    $('task').textContent = e.task;
    $('task').title = e.task;
    $('task').hidden = !e.task || data.live;
    renderBar(e);
  }

  function renderBar(e) {
    const parts = [
      { name: "the template's own words", tokens: e.template_tokens, section: null, index: null },
      ...e.sections.map((section, index) => ({ name: section.key, tokens: section.tokens, section, index })),
    ];
    const used = sum(parts, (part) => part.tokens) || 1;
    const scale = Math.max(e.budget, e.tokens, 1);
    const share = (tokens) => `${(100 * tokens) / scale}%`;
    const item = (kind, name, tokens) => {
      const words = `${name}: ${plural(tokens, 'token')}`;
      return el('div', { role: 'listitem', class: kind, title: words, 'aria-label': words });
    };
    const nodes = parts.filter((part) => part.tokens > 0).map((part) => {
      const node = item('bar-part', part.name, part.tokens);
      node.style.width = share((part.tokens / used) * e.tokens);
      node.addEventListener('click', () => goTo(part.index, null));
      return toneOf(node, part.section);
    });
    if (e.tokens < e.budget) nodes.push(item('bar-free', 'free', e.budget - e.tokens));
    if (e.tokens > e.budget) {
      const over = item('bar-over', 'budget', e.budget);
      over.style.left = share(e.budget);
      nodes.push(over);
    }
    $('bar').replaceChildren(...nodes);
  }

  function renderLegend(e) {
    const entry = (section, index, name, title, size) => {
      const row = button('', { 'data-key': section?.key, title }, () => goTo(index, null));
      row.append(swatch(), el('span', { class: `legend-name ${section ? '' : 'muted'}` }, name));
      if (section && isCut(section)) row.append(el('span', { class: `status ${section.status}` }, section.status));
      row.append(el('span', { class: 'legend-size' }, size));
      return el('li', {}, toneOf(row, section));
    };
    const rows = e.sections.flatMap((section, index) => (isEmpty(section) ? [] : [entry(section, index, section.key, section.why, sizes(section))]));
    if (e.template_tokens > 0) {
      rows.push(entry(null, null, 'template', "The template's own words, the system prompt and the task", grouped(e.template_tokens)));
    }
    $('legend').replaceChildren(...rows);
  }

  // ---- Treemap ----

  // Squarified: items fill rows along the shorter side, as long as that makes
  // the worst tile of the row less narrow.
  function squarify(items, { x, y, w, h }) {
    const sorted = [...items].sort((a, b) => b.size - a.size);
    const scale = (w * h) / (sum(sorted, (item) => item.size) || 1);
    const tiles = [];
    let first = 0;
    while (first < sorted.length && w > 0 && h > 0) {
      const side = Math.min(w, h);
      let area = 0;
      let worst = Infinity;
      let end = first;
      while (end < sorted.length) {
        const wider = area + sorted[end].size * scale;
        const thick = wider / side;
        const biggest = (sorted[first].size * scale) / thick;
        const smallest = (sorted[end].size * scale) / thick;
        const ratio = Math.max(biggest / thick, thick / smallest);
        if (ratio > worst) break;
        [area, worst] = [wider, ratio];
        end += 1;
      }
      const thick = area / side;
      let at = 0;
      for (const item of sorted.slice(first, end)) {
        const long = (item.size * scale) / thick;
        tiles.push(w < h
          ? { item, x: x + at, y, w: long, h: thick }
          : { item, x, y: y + at, w: thick, h: long });
        at += long;
      }
      if (w < h) [y, h] = [y + thick, h - thick];
      else [x, w] = [x + thick, w - thick];
      first = end;
    }
    return tiles;
  }

  function mapItems(e) {
    const size = (part) => (view.whole ? Math.max(part.original_tokens, part.tokens) : part.tokens);
    const items = e.sections.map((section, index) => ({
      section, index, size: size(section), part: section,
      files: section.pieces.map((piece, at) => ({ section, index, piece, at, size: size(piece), part: piece }))
        .filter((item) => item.size > 0),
    }));
    const own = { tokens: e.template_tokens, original_tokens: e.template_tokens };
    items.push({ section: null, index: null, size: size(own), part: own, files: [] });
    return items.filter((item) => item.size > 0);
  }

  const textWidth = (text) => text.length * 6.6 + 9;

  function longestTail(path, width) {
    const fits = [9, 3, 2].find((parts) => textWidth(tail(path, parts)) < width);
    return tail(path, fits ?? (SAME_NAMES.test(tail(path, 1)) ? 2 : 1));
  }

  function tile(item, box, kind) {
    const { section, piece, part } = item;
    const name = piece?.path ?? section?.key ?? 'template';
    const words = [name, piece && section.key !== name ? section.key : null,
      piece && piece.form !== 'full' ? piece.form : null, amount(part.tokens, part.original_tokens)];
    const info = words.filter(Boolean).join(' · ');
    const id = `${section?.key ?? ''}/${item.at ?? ''}`;
    const attributes = {
      class: `tile ${kind}`, tabindex: -1, 'aria-label': info, 'data-id': id, 'data-section': item.index ?? '', 'data-piece': item.at ?? '',
    };
    const node = button('', attributes, () => {
      view.back = id;
      goTo(item.index, item.at ?? null);
    });
    Object.assign(node.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.w}px`, height: `${box.h}px` });
    const label = piece?.path ? longestTail(piece.path, box.w) : name;
    if (box.h > 14 && (box.w > 46 || textWidth(label) < box.w)) {
      node.append(el('span', { class: 'tile-name' }, label));
      const tokens = grouped(view.whole ? item.size : part.tokens);
      const hasRoom = kind === 'head' ? textWidth(name) + textWidth(tokens) < box.w : box.h > 30 && textWidth(tokens) < box.w;
      if (hasRoom) node.append(el('span', { class: 'tile-size' }, tokens));
    }
    const missing = item.size > 0 ? 1 - part.tokens / item.size : 0;
    if (view.whole && kind !== 'head' && missing > 0) {
      node.classList.add('hatched');
      node.style.setProperty('--missing', `${100 * missing}%`);
    }
    return toneOf(node, section);
  }

  function sectionTiles(item, box) {
    const HEAD = 16;
    const single = item.files.length === 1 && !item.files[0].piece.path;
    if (!item.files.length || single || box.w < 24 || box.h < 24) return [tile(item, box, 'whole')];
    const hasHead = box.h > 44 && box.w > 44;
    const top = hasHead ? HEAD : 0;
    const room = { x: box.x, y: box.y + top, w: box.w, h: box.h - top };
    const files = squarify(item.files, room).map(({ item: file, ...at }) => tile(file, at, 'file'));
    return hasHead ? [tile(item, { ...box, h: HEAD }, 'head'), ...files] : files;
  }

  const tileOf = (id) => view.tiles.find((node) => node.dataset.id === id);
  const mapSize = () => `${$('map').clientWidth} ${$('map').clientHeight}`;

  function renderMap() {
    const map = $('map');
    view.mapSize = mapSize();
    $('map-prompt').setAttribute('aria-pressed', !view.whole);
    $('map-whole').setAttribute('aria-pressed', view.whole);
    const [w, h] = [map.clientWidth, map.clientHeight];
    const focused = map.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    const GAP = 2;
    view.tiles = squarify(mapItems(view.explanation), { x: 0, y: 0, w: w + GAP, h: h + GAP })
      .flatMap(({ item, ...box }) => sectionTiles(item, { ...box, w: Math.max(1, box.w - GAP), h: Math.max(1, box.h - GAP) }));
    map.replaceChildren(...view.tiles);
    if (!view.tiles.length) map.append(el('p', { class: 'empty' }, 'No tokens yet.'));
    const current = tileOf(focused) ?? view.tiles[0];
    if (current) current.tabIndex = 0;
    if (focused !== null) current?.focus();
    markTile();
  }

  // The nearest tile whose middle lies in that direction; sideways counts double.
  function neighbour(from, key) {
    const middle = (node) => [node.offsetLeft + node.offsetWidth / 2, node.offsetTop + node.offsetHeight / 2];
    const [x, y] = middle(from);
    const [across, sign] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, -1], ArrowDown: [1, 1] }[key];
    let best = null;
    let least = Infinity;
    for (const node of view.tiles) {
      const apart = middle(node).map((value, axis) => value - [x, y][axis]);
      const ahead = apart[across] * sign;
      const distance = ahead + 2 * Math.abs(apart[1 - across]);
      if (ahead > 0.5 && distance < least) [best, least] = [node, distance];
    }
    return best;
  }

  function onMapKey(event) {
    const from = event.target.closest('.tile');
    if (!from) return;
    const ends = { Home: view.tiles[0], End: view.tiles.at(-1) };
    if (!event.key.startsWith('Arrow') && !ends[event.key]) return;
    const to = ends[event.key] ?? neighbour(from, event.key);
    event.preventDefault();
    if (!to) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  function markTile() {
    const here = view.here;
    for (const node of view.tiles) {
      const same = here && node.dataset.section === String(here.section ?? '')
        && (node.dataset.piece === '' || node.dataset.piece === String(here.piece ?? ''));
      node.classList.toggle('here', Boolean(same));
    }
  }

  // ---- Prompt ----

  // A segment is a block of its own. Where one ends in the middle of a line and
  // the next begins with the line's end, that end moves over, or it would show twice.
  function blocks(segments) {
    const counts = new Map();
    const list = [];
    for (const { text, section, piece } of segments) {
      const last = list.at(-1);
      const open = last && !last.text.endsWith('\n');
      const moves = open && text.startsWith('\n');
      if (moves) last.text += '\n';
      const own = moves ? text.slice(1) : text;
      if (!own) continue;
      const kind = `${section ?? ''}/${piece ?? ''}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      list.push({ text: own, section, piece, goesOn: Boolean(open && !moves), count: counts.get(kind) });
    }
    return list;
  }

  // Cut at ends of lines, so that only what is near the window is laid out.
  function chunks(text) {
    const list = [];
    let start = 0;
    while (text.length - start > CHUNK) {
      const end = text.indexOf('\n', start + CHUNK) + 1;
      if (!end) break;
      list.push(text.slice(start, end));
      start = end;
    }
    if (start < text.length) list.push(text.slice(start));
    return list;
  }

  function likelyLines(text) {
    let lines = 0;
    for (let at = 0; at < text.length; lines += 1) {
      const end = text.indexOf('\n', at);
      const next = end < 0 ? text.length : end;
      lines += Math.floor((next - at) / 120);
      at = next + 1;
    }
    return lines;
  }

  function segmentNode(e, block, isNew) {
    const [section, piece] = partsOf(e, block);
    const node = el('div', { class: 'segment', tabindex: -1, 'data-section': block.section ?? '', 'data-piece': block.piece ?? '' });
    node.classList.toggle('goes-on', block.goesOn);
    node.classList.toggle('fresh', isNew);
    chunks(block.text).forEach((text, index) => {
      const chunk = el('div', { class: 'chunk' }, text);
      chunk.style.setProperty('--lines', likelyLines(text));
      if (index === 0 && piece && piece.form !== 'full') chunk.dataset.form = piece.form;
      node.append(chunk);
    });
    return toneOf(node, section);
  }

  function blockName(e, block) {
    const [section, piece] = partsOf(e, block);
    return JSON.stringify([section?.key, piece ? piece.path ?? block.piece : null, block.count]);
  }

  function renderPrompt(e) {
    const before = view.segments.length ? new Set(view.segments.map((segment) => segment.text)) : null;
    view.segments = blocks(e.prompt).map((block) => ({
      ...block, name: blockName(e, block), node: segmentNode(e, block, Boolean(before && !before.has(block.text))),
    }));
    $('prompt').replaceChildren(...view.segments.map((segment) => segment.node));
    if (!view.segments.length) $('prompt').append(el('p', { class: 'empty' }, 'The prompt is empty.'));
    if (view.marked) mark(...view.marked);
  }

  const matches = (segment, section, piece) =>
    segment.section === section && (piece === null || segment.piece === piece);

  function mark(section, piece) {
    view.marked = [section, piece];
    for (const segment of view.segments) segment.node.classList.toggle('marked', matches(segment, section, piece));
  }

  function goTo(section, piece) {
    const target = view.segments.find((segment) => matches(segment, section, piece));
    if (!target) {
      if (section !== null) openRow(section);
      return;
    }
    showTab('prompt');
    mark(section, piece);
    target.node.focus({ preventScroll: true });
    forFrames(() => {
      target.node.scrollIntoView();
      updateHere();
    });
  }

  // What comes near the window gets its real height only frames later, and moves
  // the rest. So a place is held for a while, until the reader moves.
  function forFrames(act) {
    view.hold += 1;
    const run = view.hold;
    const step = (left) => {
      if (run !== view.hold) return;
      act();
      if (left > 0) requestAnimationFrame(() => step(left - 1));
    };
    step(10);
  }

  const letGo = () => { view.hold += 1; };

  function segmentAtTop() {
    const bar = $('here').getBoundingClientRect();
    const hit = document.elementFromPoint(bar.left + bar.width / 2, bar.bottom + 4)?.closest('.segment');
    return view.segments.find((segment) => segment.node === hit) ?? null;
  }

  function updateHere() {
    if (view.tab !== 'prompt') return;
    const segment = segmentAtTop() ?? view.segments[0];
    $('here').hidden = !segment;
    if (!segment || segment === view.here) return;
    const [section, piece] = partsOf(view.explanation, segment);
    view.here = segment;
    toneOf($('here'), section);
    const part = piece ?? section;
    const facts = part ? [piece && piece.form !== 'full' ? piece.form : null, amount(part.tokens, part.original_tokens), part.why] : [];
    $('here-name').replaceChildren(el('b', {}, section?.key ?? 'template'), piece?.path ? ` › ${piece.path}` : '');
    $('here-name').title = piece?.path ?? '';
    $('here-why').textContent = section ? facts.filter(Boolean).join(' · ') : "the template's own words";
    markTile();
  }

  async function copyPrompt() {
    const words = $('copy').textContent;
    try {
      await navigator.clipboard.writeText(view.explanation.prompt.map((segment) => segment.text).join(''));
      $('copy').textContent = 'Copied';
    } catch {
      $('copy').textContent = 'Not allowed here';
    }
    setTimeout(() => { $('copy').textContent = words; }, 1500);
  }

  // ---- Sections ----

  function asked(list) {
    const nodes = list.map(({ text, file, line }) => el('li', {}, el('code', {}, text), ' ', placeNode(file, line, { class: 'muted' })));
    return el('ul', { class: 'asked' }, ...nodes);
  }

  function wholeAt(tokens, words) {
    if (!data.live) return el('span', { class: 'whole-at' }, words);
    return button(words, { class: 'whole-at', title: 'Try this budget' }, () => tryBudget(tokens));
  }

  // The name of a piece, which leads to it where it is in the prompt.
  function pieceLink(name, section, piece) {
    const inPrompt = view.segments.some((segment) => matches(segment, section, piece));
    return inPrompt ? button(pathText(name), { class: 'link' }, () => goTo(section, piece)) : pathText(name);
  }

  function formChip({ form, ...piece }) {
    return el('span', { class: `form-chip ${isLess(piece) ? form : ''}` }, form);
  }

  function shownFiles(section, query) {
    const all = !query || has(section.key, query);
    return section.pieces.map((piece, at) => ({ piece, at }))
      .filter(({ piece }) => (view.show !== 'cut' || isLess(piece)) && (all || has(piece.path, query)));
  }

  function fileRow(section, index, { piece, at }) {
    const isSaid = piece.why === section.why || (piece.why === 'whole' && piece.form === 'full');
    const why = el('td', { class: 'file-why' }, isSaid ? '' : piece.why);
    if (piece.note && !piece.why.includes(piece.note)) why.append(el('div', { class: 'muted' }, piece.note));
    const own = JSON.stringify(piece.asked_by) !== JSON.stringify(section.asked_by);
    if (own && piece.asked_by?.length) why.append(asked(piece.asked_by));
    return el('tr', {},
      el('th', { scope: 'row' }, pieceLink(pieceName(section, piece), index, at)),
      el('td', {}, formChip(piece)),
      el('td', {}, sizes(piece)),
      why,
      el('td', { class: 'file-whole-at' }, piece.whole_at ? wholeAt(piece.whole_at, `≈ ${grouped(piece.whole_at)}`) : ''));
  }

  function sizes({ tokens, original_tokens: whole }) {
    const node = el('span', { class: 'sizes' }, grouped(tokens));
    if (whole !== tokens) node.append(el('span', { class: 'muted' }, ` / ${grouped(whole)}`));
    return node;
  }

  function fileTable(section, index, query) {
    const files = shownFiles(section, query);
    if (!files.length) return null;
    const limit = view.allFiles.has(section.key) ? files.length : FILES_AT_ONCE;
    const body = el('tbody', {}, ...files.slice(0, limit).map((file) => fileRow(section, index, file)));
    const names = ['File', 'Form', 'Tokens / whole', 'Why'];
    const hasWholeAt = files.some(({ piece }) => piece.whole_at);
    const head = el('tr', {}, ...names.map((name) => el('th', { scope: 'col' }, name)),
      el('th', { scope: 'col', title: 'An estimate by what it costs, not tried: other files may take the room first' }, hasWholeAt ? 'Whole at' : ''));
    const table = el('table', { class: `files ${hasWholeAt ? 'has-whole-at' : ''}` }, el('thead', {}, head), body);
    if (files.length <= limit) return table;
    const more = button(`Show all ${grouped(files.length)}`, { class: 'more' }, () => {
      view.allFiles.add(section.key);
      renderRows();
    });
    return el('div', {}, table, more);
  }

  function sectionBody(section, index, query) {
    const facts = el('dl', { class: 'row-facts' });
    const fact = (name, value) => value && facts.append(el('dt', {}, name), el('dd', {}, value));
    fact('Asked by', section.asked_by.length ? asked(section.asked_by) : null);
    fact('Note', section.note);
    if (section.protected) fact('Protected', 'The budget leaves it alone.');
    if (section.whole_at && data.live) fact('Budget', wholeAt(section.whole_at, `Try ${grouped(section.whole_at)} tokens`));
    if (!section.whole_at && isCut(section) && !section.pieces.some((piece) => piece.whole_at)) fact('Budget', 'No known budget has room for all of it.');
    return el('div', { class: 'row-body' }, facts, fileTable(section, index, query));
  }

  function meter({ tokens, original_tokens: whole }) {
    const inside = el('span');
    inside.style.width = `${whole > 0 ? Math.min(100, (100 * tokens) / whole) : 0}%`;
    return el('span', { class: 'meter', 'aria-hidden': true }, inside);
  }

  function sectionRow(section, index, query) {
    const count = section.pieces.filter((piece) => piece.path).length;
    const why = el('span', { class: 'row-why' }, section.why);
    if (section.whole_at) why.append(el('span', { class: 'whole-at' }, `whole at ${grouped(section.whole_at)} tokens`));
    const summary = el('summary', {},
      el('span', { class: 'row-name' }, el('b', {}, section.key), count ? el('span', { class: 'muted' }, ` ${plural(count, 'file')}`) : null),
      el('span', {}, el('span', { class: `status ${section.status}` }, section.status)),
      el('span', { class: 'row-size' }, isEmpty(section) ? '' : sizes(section), isCut(section) ? meter(section) : null),
      why);
    const byFile = Boolean(query) && !has(section.key, query);
    const row = el('details', {
      class: `row ${isEmpty(section) ? 'nothing' : ''}`, 'data-key': section.key, open: view.open.has(section.key) || byFile,
    }, summary);
    const fill = () => row.childElementCount > 1 || row.append(sectionBody(section, index, query));
    if (row.open) fill();
    row.addEventListener('toggle', () => {
      if (row.open) fill();
      if (!byFile) view.open[row.open ? 'add' : 'delete'](section.key);
    });
    return toneOf(row, section);
  }

  const SHOWN = {
    all: () => true,
    cut: (section) => isCut(section) || section.pieces.some(isLess),
    empty: isEmpty,
  };

  function renderRows() {
    const query = $('filter').value.trim().toLowerCase();
    const { sections } = view.explanation;
    for (const [name, shows] of Object.entries(SHOWN)) {
      $(`show-${name}`).lastElementChild.textContent = grouped(sections.filter(shows).length);
      $(`show-${name}`).setAttribute('aria-pressed', name === view.show);
    }
    const rows = sections.map((section, index) => ({ section, index }))
      .filter(({ section }) => SHOWN[view.show](section))
      .filter(({ section }) => !query || has(section.key, query) || shownFiles(section, query).length)
      .map(({ section, index }) => sectionRow(section, index, query));
    $('rows').replaceChildren(...rows);
    renderExcluded(query);
    if (rows.length) return;
    const nothing = { all: 'The prompt has no sections.', cut: 'Nothing was shrunk or dropped.', empty: 'Nothing that was asked for is empty.' };
    $('rows').append(el('p', { class: 'empty' }, query ? 'Nothing has this in its name.' : nothing[view.show]));
  }

  // Under each pattern what it takes out.
  function renderExcluded(query) {
    const all = view.explanation.excluded;
    const shown = view.show === 'all' ? all.filter(({ path }) => !query || has(path, query)) : [];
    const groups = Map.groupBy(shown, ({ excluded_by: by }) => JSON.stringify([by.text, by.file, by.line]));
    $('excluded').hidden = !shown.length;
    $('excluded').open = Boolean(query) || (view.openExcluded ?? all.length <= EXCLUDED_AT_ONCE);
    $('excluded-count').textContent = `${grouped(shown.length)}${all.length >= EXCLUDED_AT_MOST ? ' or more' : ''}`;
    $('excluded-list').replaceChildren(...[...groups.values()].flatMap((group) => [
      el('dt', {}, asked([group[0].excluded_by])),
      el('dd', {}, el('ul', {}, ...group.map(({ path }) => el('li', {}, pathText(path))))),
    ]));
  }

  // What was asked about by name on the command line.
  function renderAnswers(e) {
    $('answers').hidden = !e.files.length;
    $('answer-list').replaceChildren(...e.files.map(({ path, section: key, why }) => {
      const index = e.sections.findIndex((section) => section.key === key);
      const at = e.sections[index]?.pieces.findIndex((piece) => piece.path === path) ?? -1;
      const piece = e.sections[index]?.pieces[at];
      const chip = piece ? formChip(piece) : el('span', { class: 'form-chip' }, key ?? 'absent');
      const row = el('li', {}, el('code', {}, piece ? pieceLink(path, index, at) : pathText(path)), el('span', {}, chip), el('span', {}, why));
      return toneOf(row, e.sections[index]);
    }));
  }

  function openRow(index) {
    const { key } = view.explanation.sections[index];
    view.open.add(key);
    view.show = 'all';
    $('filter').value = '';
    renderRows();
    showTab('sections');
    const row = [...$('rows').children].find((node) => node.dataset.key === key);
    row.querySelector('summary').focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }

  // ---- Role ----

  function originChip(e, file, line) {
    if (!file) return el('span', { class: 'origin default' }, 'default');
    const at = e.role_chain.indexOf(file);
    return tone(placeNode(file, line, { class: 'origin' }), at < 0 ? null : CHAIN_HUES[at % CHAIN_HUES.length]);
  }

  function roleValueNode(value) {
    const text = typeof value === 'string' ? value : String(JSON.stringify(value));
    if (!text.includes('\n') && text.length < 200) return el('code', {}, text === '' ? '""' : text);
    return el('pre', { tabindex: 0 }, text.replace(/\n$/, ''));
  }

  function renderRole(e) {
    const chain = e.role_chain.map((file) => el('li', {}, originChip(e, file, null)));
    $('chain').replaceChildren(...chain);
    $('chain').hidden = !chain.length;
    const hide = $('hide-defaults').checked;
    const rows = e.role_values.filter(({ file }) => file || !hide).map(({ path, value, file, line }) =>
      el('tr', { class: file ? null : 'default' },
        el('th', { scope: 'row' }, path), el('td', {}, roleValueNode(value)), el('td', {}, originChip(e, file, line))));
    if (!rows.length) rows.push(el('tr', {}, el('td', { colspan: 3, class: 'muted' }, 'The role sets nothing.')));
    $('role-values').replaceChildren(...rows);
  }

  // ---- Warnings ----

  function renderWarnings(e) {
    const rows = e.warnings.map(({ kind, message, path, line }) => {
      const found = path ? view.segments.find((segment) => partsOf(e, segment)[1]?.path === path) : null;
      const where = pathText(place(path, line));
      const link = found ? button(where, { class: 'link' }, () => goTo(found.section, found.piece)) : el('span', { class: 'muted' }, where);
      return el('li', {}, el('span', { class: 'kind' }, kind), el('span', { class: 'message' }, message), path ? link : null);
    });
    $('warnings').replaceChildren(...rows);
    if (!rows.length) $('warnings').append(el('li', { class: 'empty' }, 'No warnings.'));
    $('warning-count').textContent = grouped(rows.length);
    $('warning-count').classList.toggle('some', rows.length > 0);
  }

  // ---- Everything ----

  const isPageScroll = () => getComputedStyle($('panel-prompt')).overflowY === 'visible';
  const scroller = () => (isPageScroll() ? document.scrollingElement : $(`panel-${view.tab}`));

  // The reader's place is the segment at the top, not a number of pixels: what
  // stands before it may have grown or gone.
  function keepingPlace(draw) {
    const box = scroller();
    const top = box.scrollTop;
    const anchor = view.tab === 'prompt' && top > 0 ? segmentAtTop() : null;
    const was = anchor?.node.getBoundingClientRect().top;
    draw();
    box.scrollTop = top;
    const now = anchor && view.segments.find((segment) => segment.name === anchor.name);
    if (now) forFrames(() => { box.scrollTop += now.node.getBoundingClientRect().top - was; });
  }

  function render(e) {
    view.explanation = e;
    view.here = null;
    keepingPlace(() => {
      renderHeader(e);
      renderLegend(e);
      renderPrompt(e);
      renderRows();
      renderAnswers(e);
      renderRole(e);
      renderWarnings(e);
      renderMap();
    });
    updateHere();
  }

  function showTab(name) {
    view.tab = name;
    for (const tab of TABS) {
      const on = tab === name;
      $(`tab-${tab}`).setAttribute('aria-selected', on);
      $(`tab-${tab}`).tabIndex = on ? 0 : -1;
      $(`panel-${tab}`).hidden = !on;
    }
    updateHere();
  }

  function onTabKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = TABS.indexOf(view.tab);
    const to = step ? (at + step + TABS.length) % TABS.length : { Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    showTab(TABS[to]);
    $(`tab-${TABS[to]}`).focus();
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea, select')) return;
    if (TABS[event.key - 1]) showTab(TABS[event.key - 1]);
    else if (event.key === '/') {
      event.preventDefault();
      showTab('sections');
      $('filter').focus();
    } else if (event.key === 'Escape' && event.target.matches('.segment')) tileOf(view.back)?.focus();
  }

  function onceAFrame(act) {
    let waits = false;
    return () => {
      if (waits) return;
      waits = true;
      requestAnimationFrame(() => {
        waits = false;
        act();
      });
    };
  }

  function listen() {
    for (const tab of TABS) $(`tab-${tab}`).addEventListener('click', () => showTab(tab));
    document.querySelector('[role=tablist]').addEventListener('keydown', onTabKey);
    document.addEventListener('keydown', onKey);
    const map = $('map');
    map.addEventListener('keydown', onMapKey);
    const tell = (event) => { $('map-info').textContent = event.target.closest('.tile')?.getAttribute('aria-label') ?? ''; };
    map.addEventListener('pointerover', tell);
    map.addEventListener('focusin', tell);
    map.addEventListener('pointerleave', () => { $('map-info').textContent = ''; });
    for (const whole of [false, true]) $(whole ? 'map-whole' : 'map-prompt').addEventListener('click', () => { view.whole = whole; renderMap(); });
    for (const name of Object.keys(SHOWN)) $(`show-${name}`).addEventListener('click', () => { view.show = name; renderRows(); });
    $('excluded').firstElementChild.addEventListener('click', () => { view.openExcluded = !$('excluded').open; });
    $('filter').addEventListener('input', renderRows);
    $('hide-defaults').addEventListener('change', () => renderRole(view.explanation));
    $('copy').addEventListener('click', copyPrompt);
    const onScroll = onceAFrame(updateHere);
    $('panel-prompt').addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('scroll', onScroll, { passive: true });
    for (const name of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
      window.addEventListener(name, letGo, { passive: true, capture: true });
    }
    new ResizeObserver(onceAFrame(() => { if (mapSize() !== view.mapSize) renderMap(); })).observe(map);
  }

  // ---- Live ----

  const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
  const roleValue = (e, path) => e.role_values.find((value) => value.path === path)?.value;
  const live = { timer: null, request: null };

  // The values that a schema lists; none if others may be chosen too.
  const listed = (schema) => [schema.const, ...(schema.anyOf ?? schema.oneOf ?? []).flatMap(listed)].filter(Boolean);
  const choices = Object.entries(data.overrides).map(([name, schema]) => ({ name, schema, values: listed(schema) }))
    .filter(({ values }) => values.length);

  function addChoices() {
    const option = (value, words) => el('option', { value }, words);
    const label = ({ name, schema, values }) => el('label', { title: schema.description }, `${name[0].toUpperCase()}${name.slice(1)} `,
      el('select', { id: `field-${name}` }, option('', 'as the role says'), ...values.map((value) => option(value, value))));
    $('field-budget').parentElement.after(...choices.map(label));
  }

  // A field is empty as long as the role decides, so that a change of the role counts.
  function fillField(id, value, fromRole) {
    const field = $(id);
    if (document.activeElement === field || live.timer) return;
    field.value = value === fromRole ? '' : value;
  }

  function fillForm(e) {
    const budget = roleValue(e, 'context.token_budget');
    $('field-budget').placeholder = budget === undefined ? '' : `${budget} (role)`;
    fillField('field-budget', e.budget, budget);
    for (const { name } of choices) {
      const fromRole = roleValue(e, `context.${name}`);
      $(`field-${name}`).options[0].textContent = fromRole ? `${fromRole} (role)` : 'as the role says';
      fillField(`field-${name}`, e[name], fromRole);
    }
    fillField('field-task', e.task);
    // A line's end says: one target per line, spaces are part of it.
    fillField('field-targets', e.targets.join('\n') + (e.targets.some((target) => target.includes(' ')) ? '\n' : ''));
  }

  function wanted() {
    const targets = $('field-targets').value;
    return {
      task: $('field-task').value,
      budget: $('field-budget').value === '' ? null : Number($('field-budget').value),
      ...Object.fromEntries(choices.map(({ name }) => [name, $(`field-${name}`).value || null])),
      target: targets.split(targets.includes('\n') ? '\n' : /\s+/).map((target) => target.trim()).filter(Boolean),
    };
  }

  function showError(id, answer) {
    const box = $(id);
    box.hidden = !answer;
    box.replaceChildren();
    if (!answer) return;
    box.append(el('span', {}, answer.error));
    if (answer.help) box.append(el('span', { class: 'help' }, answer.help));
  }

  function connection(words, isBad) {
    $('live').textContent = words;
    $('live').classList.toggle('bad', isBad);
  }

  function accept(answer) {
    if (!answer.explanation || answer.version <= view.version) return;
    const change = answer.explanation.tokens - view.explanation.tokens;
    view.version = answer.version;
    render(answer.explanation);
    fillForm(answer.explanation);
    const by = change ? ` (${change > 0 ? '+' : '−'}${grouped(Math.abs(change))})` : '';
    $('updated').textContent = `Updated: ${plural(answer.explanation.tokens, 'token')}${by}`;
    $('updated').classList.remove('flash');
    void $('updated').offsetWidth;
    $('updated').classList.add('flash');
  }

  async function send() {
    live.timer = null;
    if (!$('form').checkValidity()) {
      showError('form-error', { error: 'The budget has to be a whole number above 0.' });
      return;
    }
    live.request?.abort();
    const request = new AbortController();
    live.request = request;
    try {
      const response = await fetch('/explain', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(wanted()), signal: request.signal,
      });
      const answer = await response.json();
      if (live.request !== request) return;
      showError('form-error', response.ok ? null : { error: answer.error ?? `The server answered ${response.status}.`, help: answer.help });
      if (response.ok) showError('banner', answer.error ? answer : null);
      accept(answer);
    } catch (error) {
      if (error.name !== 'AbortError') connection('The server does not answer.', true);
    }
  }

  function changed() {
    clearTimeout(live.timer);
    live.timer = setTimeout(send, 250);
  }

  function tryBudget(tokens) {
    $('field-budget').value = tokens;
    changed();
  }

  // One answer of the long poll; returns from which version to ask next.
  async function poll(since) {
    const response = await fetch(`/changes?since=${since}`, { signal: AbortSignal.timeout(40000) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const answer = await response.json();
    connection('live', false);
    // A template that failed is told above the prompt that was built without it.
    if (answer.error || answer.explanation) showError('banner', answer.error ? answer : null);
    if (answer.explanation) accept(answer);
    else if (answer.error && answer.version <= since) await pause(1000);
    // A lower number is a new server, which has to be asked from its beginning.
    if (answer.version < since) {
      view.version = 0;
      return 0;
    }
    return answer.version;
  }

  async function follow() {
    let since = view.version;
    let wait = 1;
    for (;;) {
      try {
        since = await poll(since);
        wait = 1;
      } catch {
        connection(`The server does not answer. Next try in ${wait} s.`, true);
        await pause(1000 * wait);
        wait = Math.min(30, wait * 2);
      }
    }
  }

  function goLive() {
    $('form').hidden = false;
    $('live').hidden = false;
    connection('live', false);
    addChoices();
    fillForm(data.explanation);
    $('form').addEventListener('input', changed);
    $('form').addEventListener('submit', (event) => event.preventDefault());
    follow();
  }

  listen();
  if (data.live) goLive();
  if (data.problem) showError('banner', data.problem);
  showTab(data.explanation.files.length ? 'sections' : 'prompt');
  render(data.explanation);
})();
