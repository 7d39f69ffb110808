// The beginning of the page's script: what works before the WASM is there, and where it never will be. After it comes the
// module that wasm-bindgen has written, and then `wake.js`.

// What a person checks. The box of an item that asks for files is none of it: what is attached checks that.
const CONTROLS = ':is(.item, #return) input:not([aria-hidden])';
const allChecked = () => new Set(document.querySelectorAll(`${CONTROLS}:checked`));

// Answers that were changed can be had back. Each change is what it is called, and the controls with what they have become;
// it lies on the first pile, or on the second once it was undone. `known` is what is checked.
const piles = [[], []];
let known = allChecked();

// What a key or a finger has changed is said: a finger covers what it touches, and cannot take an answer back by itself.
let isSaid;
for (const type of ['keydown', 'pointerdown']) addEventListener(type, (event) => (isSaid = event.pointerType !== 'mouse'), true);

function know(input, is) {
  known[is ? 'add' : 'delete'](input);
  input.checked = is;
}

// The line on the edge of the bar, the buttons beside it, and its words.
const [line, undoButton, redoButton] = ['changed', 'undo', 'redo'].map((id) => document.getElementById(id));
const [several, given, cleared, returned, undone, again] = line?.dataset.words.split('|') ?? [];

// What a change is called.
function wordsOf(change) {
  const [item, ...others] = new Set(change.map(([input]) => input.closest('.item')));
  if (others[0]) return several.replace('#', others.length + 1);
  if (!item) return returned;
  return (item.querySelector('input:checked:not([value=""])') ? given : cleared).replace('#', item.dataset.item);
}

function say(words, hint, isUndone) {
  line.textContent = words;
  // The style sheet hides it where there are no keys, or is no room.
  if (hint) line.append(Object.assign(document.createElement('span'), { textContent: hint }));
  undoButton.hidden = !words || !piles[0][0];
  redoButton.hidden = !isUndone;
}

// Says what was changed; what was clicked is seen. In a field the key that undoes it is a letter.
function tellChange(words) {
  if (isSaid) say(words, again.replace('#', document.activeElement.matches('textarea') ? 'Esc, u' : 'u'));
  else say('');
}

// Remembers how the controls in `scope` differ from what is known.
function record(scope) {
  const change = [];
  for (const input of scope.querySelectorAll(CONTROLS)) {
    const { checked } = input;
    if (checked !== known.has(input)) {
      change.push([input, checked]);
      know(input, checked);
    }
  }
  if (!change[0]) return;
  const words = wordsOf(change);
  piles[0].push([words, change]);
  piles[1] = [];
  tellChange(words);
}

// Undoes the last change, or does again what was undone last; the WASM calls it, and the button.
function undo(isAgain) {
  const last = piles[+isAgain].pop();
  if (!last) return;
  piles[+!isAgain].push(last);
  const [words, change] = last;
  for (const [input, is] of change) know(input, is === isAgain);
  const scopes = new Set(change.map(([input]) => input.closest('.item, #return')));
  for (const scope of scopes) {
    const input = scope.querySelector('input:checked') ?? scope.querySelector('input');
    if (scopes.size < 2 && scope.id !== 'return') input.focus();
    // Counts it, and keeps it.
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }
  if (isAgain) tellChange(words);
  else say(undone + words, '', true);
}
undoButton?.addEventListener('click', () => undo(false));
redoButton?.addEventListener('click', () => undo(true));

// Both piles outlive the page, which is left to review the answers, or loaded anew.
const kept = `aide-undo-${document.querySelector('#decide [name=session]')?.value}`;
const nameOf = ({ name, value }) => `${name} ${value}`;
addEventListener('pagehide', () => {
  try {
    const named = (pile) => pile.slice(-99).map(([words, change]) => [words, change.map(([input, is]) => [nameOf(input), is])]);
    if (piles.flat()[0]) sessionStorage.setItem(kept, JSON.stringify(piles.map(named)));
  } catch {}
});
function takeBack() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(kept));
    if (!stored) return;
    const inputs = new Map([...document.querySelectorAll(CONTROLS)].map((input) => [nameOf(input), input]));
    const found = (pile) => pile.map(([words, change]) => [words, change.map(([name, is]) => [inputs.get(name), is]).filter(([input]) => input)]);
    const [before, undone] = stored.map(found);
    if (!piles.flat()[0]) piles[1] = undone;
    piles[0].unshift(...before);
  } catch {}
}

// Marks an item, in the list as well, that is answered, or is not any more; true when it is one that has to be. A choice of
// one's own words counts once they are written.
function mark(item) {
  const { least = 1, most = 1, item: id, optional } = item.dataset;
  // Before the first layout no placeholder is known to be shown.
  const isGiven = (choice) => choice.closest('.other')?.querySelector('textarea').value !== '';
  const given = [...item.querySelectorAll('input:checked:not([value=""])')].filter(isGiven).length;
  const isDone = given >= least && given <= most;
  if (isDone !== item.hasAttribute('data-done')) {
    for (const el of [item, document.getElementById(`rail-${id}`)]) el?.toggleAttribute('data-done', isDone);
  }
  return isDone && optional === undefined;
}

// The same after a change; the WASM calls it.
function markDone(item) {
  record(item);
  // The keys that send back tick items there.
  const back = document.activeElement.closest('#return');
  if (back) record(back);
  return mark(item);
}

// Marks all items, and counts those that have to be answered and are.
function countDone() {
  const items = document.querySelectorAll('fieldset.item:is([data-done], :has(input:checked))');
  return [...items].filter(mark).length;
}

// The same for the WASM, which has taken all recommendations, or just woken up and filled in what was kept.
let isAwake;
function markAllDone() {
  if (isAwake) record(document);
  else {
    isAwake = true;
    known = allChecked();
    takeBack();
    // Once the WASM knows the current question.
    queueMicrotask(pressAgain);
  }
  return countDone();
}

// Until the WASM is awake an answer is counted here.
const progress = document.querySelector('progress');
const served = progress?.value;
function showDone(done) {
  progress.value = done;
  // Leptos holds on to the node. Both languages name what is done first.
  const text = document.querySelector('#progress-text').firstChild;
  text.data = text.data.replace(/\d+/, done);
}
function countEarly({ target }) {
  const item = target.closest('fieldset.item');
  if (!item) return;
  const was = item.matches('[data-done]:not([data-optional])');
  showDone(progress.value - was + markDone(item));
}
if (progress) addEventListener('change', countEarly);
if (document.querySelector('#decide input:checked')) showDone(countDone());

addEventListener('change', ({ target }) => {
  const back = target.closest('#return');
  if (back) record(back);
});

addEventListener('submit', (event) => {
  const { submitter: button, target: form } = event;
  if (button?.id === 'review-btn') {
    // From the review one comes back to where one was.
    const isSeen = (item) => {
      const { top, bottom } = item.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    };
    const at = [form.querySelector('[data-current]'), ...form.querySelectorAll('.item')].find(isSeen);
    button.formAction = `${form.getAttribute('action')}#${at?.id}`;
  }
  const message = document.getElementById('return-message');
  if (button?.id === 'return-btn' && !message.value.trim()) {
    event.preventDefault();
    document.getElementById('return-error').hidden = false;
    message.focus();
  }
}, true);

// What a page with script posts as a plain form does is no plain form's.
addEventListener('formdata', ({ formData }) => isAwake && formData.set('scripted', ''));

// Who opens what has a field means to write in it: what is typed next is no key.
addEventListener('click', (event) => {
  const el = event.target.closest('summary')?.parentElement;
  const field = el?.querySelector('textarea');
  if (!field || el.open) return;
  event.preventDefault();
  el.open = true;
  field.focus();
});

// An opened part is scrolled into view: the bar at the lower edge would hide it.
addEventListener('toggle', ({ target: el }) => {
  if (el.open && navigator.userActivation?.isActive) el.scrollIntoView({ block: 'nearest' });
}, true);

// A message in the bar makes it higher. Not by `:root:has()`: with that, every answer would cost the styles of the whole page.
const toast = document.getElementById('error-toast');
const measure = () => document.documentElement.toggleAttribute('data-toast', toast.textContent);
if (toast) new MutationObserver(measure).observe(toast, { childList: true, characterData: true, subtree: true });

// Keys that the WASM is to act on wait for it, and so does what is typed after them: it may be meant for a field that one of
// them opens. Who points at something meanwhile has gone on.
const pressed = [];
function keep(event) {
  const { key, target } = event;
  if (event.isComposing || event.keyCode === 229 || event.altKey) return;
  const isLetter = key.length < 2;
  const isMeant = event.ctrlKey || event.metaKey ? key === 'Enter'
    : pressed[0] ? isLetter || /^(Enter|Escape|Backspace)$/.test(key)
    : key === 'Escape' || (key === 'Enter' ? target.matches('input') : isLetter && key !== ' ' && !target.matches('textarea'));
  if (!isMeant) return;
  event.preventDefault();
  pressed.push(event);
}
function forget() {
  pressed.length = 0;
}
function stopKeeping() {
  removeEventListener('keydown', keep, true);
  removeEventListener('pointerdown', forget, true);
}
if (progress) {
  addEventListener('keydown', keep, true);
  addEventListener('pointerdown', forget, true);
}

// Presses them. What the WASM leaves alone does what the browser would do.
function pressAgain() {
  stopKeeping();
  for (const event of pressed) {
    const { key } = event;
    const el = document.activeElement;
    if (!el.dispatchEvent(new KeyboardEvent('keydown', event)) || key === 'Escape') continue;
    if (el.matches('textarea')) document.execCommand(key === 'Backspace' ? 'delete' : 'insertText', false, key === 'Enter' ? '\n' : key);
    else if (key === ' ' && el.matches('input')) el.click();
  }
}
