// Sends files as soon as they are chosen or dropped, one after another. Only pages on which files are asked for have this
// script; without it the files go with the form. What is attached is what the server says: this page only shows it.

const page = document.getElementById('uploads');
const words = JSON.parse(page.dataset.words);
const form = document.getElementById('decide');

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
const node = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const button = (className, text, label, properties) => {
  const made = node('button', { type: 'button', className, textContent: text, ...properties });
  made.setAttribute('aria-label', label);
  return made;
};

// As the server says it.
function size(bytes) {
  for (const [unit, name] of [[1048576, 'MiB'], [1000000, 'MB'], [1024, 'KiB'], [1000, 'kB']]) {
    if (bytes >= unit && bytes % unit === 0) return `${bytes / unit} ${name}`;
  }
  if (bytes < 1000) return `${bytes} B`;
  const [unit, name] = bytes < 999950 ? [1000, 'kB'] : [1000000, 'MB'];
  const tenths = Math.floor((bytes + unit / 20) / (unit / 10));
  return `${Math.floor(tenths / 10)}.${tenths % 10} ${name}`;
}

// What is on its way, and what waits for that.
const queue = [];
let current = null;

const plain = (text) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
// Names with a star for any characters.
const pattern = (name) => new RegExp(`^${name.split('*').map(plain).join('[^]*')}$`, 'i');

// The items that ask for files, by the element that all of it stands in.
const blocks = new Map();
for (const root of document.querySelectorAll('.files')) {
  const find = (selector) => root.querySelector(selector);
  blocks.set(root, {
    item: root.dataset.files,
    least: +root.dataset.min,
    most: +root.dataset.max,
    bytes: +root.dataset.bytes,
    names: JSON.parse(root.dataset.names).map(pattern),
    root,
    list: find('.files-list'),
    input: find('input[type=file]'),
    // Checked when enough is attached: an answer is counted, kept and sent as where something is chosen.
    check: find('input[type=checkbox]'),
    status: find('.files-status'),
  });
}
// How much room the set has left, once the server has said so.
let room = Infinity;

const path = (block, rest = '') => `${page.dataset.to}${block.item}${rest}${page.dataset.query}`;
const names = (block) => [...block.list.querySelectorAll('[name=remove]')].map((el) => el.dataset.name);

// Most of what happens is seen in the list, and is only to be heard.
function say(block, text, values) {
  block.status.textContent = fill(text, values);
  block.status.classList.add('unseen');
}

function show(block, text) {
  block.status.textContent = text;
  block.status.classList.remove('unseen');
}

function settle(block) {
  const isEnough = names(block).length >= block.least;
  if (block.check.checked === isEnough) return;
  block.check.checked = isEnough;
  block.check.dispatchEvent(new Event('change', { bubbles: true }));
}

// Lists what is attached, as the server says; what is still to be sent stays below it.
function list(block, { files, set_bytes_left: left }) {
  room = left;
  for (const row of block.list.querySelectorAll('li:not([data-job])')) row.remove();
  const rows = files.map((file) => node(
    'li', {},
    node('span', { className: 'file-name', textContent: file.name }), ' ',
    node('span', { className: 'file-size', textContent: size(file.size) }), ' ',
    removal(block, file.name),
  ));
  block.list.prepend(...rows);
  settle(block);
}

function removal(block, name) {
  const made = button('file-act', words.remove, fill(words.remove_file, { name }), {
    type: 'submit', name: 'remove', value: `${block.item}/${name}`,
  });
  made.dataset.name = name;
  return made;
}

// The answer as JSON, or why there is none, as a sentence.
function detail(status, text) {
  try {
    return JSON.parse(text).detail ?? words.unreachable;
  } catch {
    return status ? `HTTP ${status}` : words.unreachable;
  }
}

// What the browser can tell without asking: the answer to much that is sent in vain might not arrive.
function refusal(block, file) {
  const all = names(block);
  const { tooLarge, tooMany, wrongName } = block.root.dataset;
  if (file.size > block.bytes) return tooLarge;
  if (file.size > 4194304 && block.names.length && !block.names.some((name) => name.test(file.name))) return wrongName;
  if (all.includes(file.name)) return null;
  if (all.length >= block.most) return tooMany;
  return file.size > room ? words.set_full : null;
}

function add(block, files) {
  for (const file of files) {
    const { name } = file;
    const bar = node('progress', { max: 1, value: 0 });
    bar.setAttribute('aria-label', fill(words.uploading, { name }));
    const note = node('span', { className: 'file-note', textContent: words.queued });
    const acts = node('span', { className: 'file-acts' });
    const row = node(
      'li', {},
      node('span', { className: 'file-name', textContent: name }), ' ',
      node('span', { className: 'file-size', textContent: size(file.size) }), ' ', acts, bar, note,
    );
    row.dataset.job = '';
    const job = { block, file, name, row, bar, note, acts };
    acts.append(button('file-act', words.cancel, fill(words.cancel_file, { name }), { onclick: () => cancel(job) }));
    block.list.append(row);
    queue.push(job);
  }
  next();
}

function next() {
  if (current || !queue.length) return;
  current = queue.shift();
  const { block, file, name, bar, note } = current;
  const job = current;
  const why = refusal(block, file);
  if (why) return end(job, why, false);
  say(block, words.uploading, { name });
  note.textContent = '';
  const body = new FormData();
  body.append('file', file, name);
  const request = job.request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded, total }) => {
    bar.value = loaded / total;
    note.textContent = `${Math.floor((100 * loaded) / total)} %`;
  };
  request.onload = () => {
    if (request.status !== 200) return end(job, detail(request.status, request.responseText), ![400, 404, 409, 413].includes(request.status));
    const hadFocus = job.row.contains(document.activeElement);
    job.row.remove();
    list(block, JSON.parse(request.responseText));
    say(block, words.done, { name });
    if (hadFocus) block.input.focus();
    over();
  };
  request.onerror = () => end(job, words.unreachable, true);
  request.open('POST', path(block));
  request.send(body);
}

function over() {
  current = null;
  next();
}

// A file that is not attached, and why; it can be tried again, or put away.
function end(job, why, canRetry) {
  const { block, name, row, bar, note, acts } = job;
  bar.hidden = true;
  note.textContent = why;
  row.dataset.job = 'failed';
  say(block, words.failed, { name, detail: why });
  const hadFocus = acts.contains(document.activeElement);
  acts.replaceChildren();
  if (canRetry) {
    acts.append(button('file-act', words.retry, fill(words.retry_file, { name }), {
      onclick: () => {
        row.remove();
        block.input.focus();
        add(block, [job.file]);
      },
    }));
  }
  acts.append(button('file-act', words.remove, fill(words.remove_file, { name }), {
    onclick: () => {
      row.remove();
      block.input.focus();
    },
  }));
  if (hadFocus) acts.firstChild.focus();
  over();
}

function cancel(job) {
  const place = queue.indexOf(job);
  if (place >= 0) queue.splice(place, 1);
  job.row.remove();
  job.block.input.focus();
  say(job.block, words.cancelled, { name: job.name });
  if (job !== current) return;
  job.request.abort();
  over();
}

async function remove(block, from) {
  const { name } = from.dataset;
  const place = names(block).indexOf(name);
  const headers = { 'content-type': 'application/json' };
  let answer;
  try {
    answer = await fetch(path(block, '/remove'), { method: 'POST', headers, body: JSON.stringify({ name }) });
  } catch {
    return show(block, words.unreachable);
  }
  const text = await answer.text();
  if (!answer.ok) return show(block, detail(answer.status, text));
  list(block, JSON.parse(text));
  say(block, words.removed, { name });
  // The focus goes on to the next one.
  const left = block.list.querySelectorAll('[name=remove]');
  (left[Math.min(place, left.length - 1)] ?? block.input).focus();
}

for (const block of blocks.values()) {
  const { root, input, check } = block;
  for (const el of block.list.querySelectorAll('[name=remove]')) el.dataset.name = el.value.slice(el.value.indexOf('/') + 1);
  // Files that are dropped on it are chosen: the browser does that by itself.
  root.classList.add('live');
  root.querySelector('.files-choose').textContent = root.dataset.choose;
  input.addEventListener('change', (event) => {
    // What is to be sent is no answer yet.
    event.stopPropagation();
    const files = [...input.files];
    input.value = '';
    add(block, files);
  });
  for (const [name, isOver] of [['dragenter', true], ['dragleave', false], ['drop', false]]) {
    input.addEventListener(name, () => root.classList.toggle('over', isOver));
  }
  // Keys reach the hidden file input and then the button; Enter opens the input, and does not move on.
  check.addEventListener('focus', () => input.focus());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.stopPropagation();
  });
  // What the browser has filled in from its own memory may be older.
  check.addEventListener('change', () => settle(block));
}

form.addEventListener('click', (event) => {
  const from = event.target.closest('[name=remove]');
  if (!from) return;
  event.preventDefault();
  remove(blocks.get(from.closest('.files')), from);
});

// Once the island has filled in what this browser remembers.
new MutationObserver(() => setTimeout(() => blocks.forEach(settle))).observe(document.documentElement, {
  attributeFilter: ['data-hydrated'],
});

// Nothing is sent while a file is on its way: it would be missing.
const isBusy = () => current !== null;
function wait(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
  const { block } = current;
  show(block, words.still_uploading);
  block.root.scrollIntoView({ block: 'nearest' });
}
addEventListener('submit', (event) => {
  if (isBusy() && event.submitter?.id !== 'recommend-btn') wait(event);
}, true);
addEventListener('keydown', (event) => {
  if (isBusy() && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) wait(event);
}, true);
addEventListener('beforeunload', (event) => {
  if (isBusy()) event.preventDefault();
});
