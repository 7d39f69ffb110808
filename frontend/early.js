// The beginning of the page's script: what works before the WASM is there, and where it never will be. After it comes the
// module that wasm-bindgen has written, and then `wake.js`.

// Marks an item, in the list as well, that is answered, or is not any more; true when it is one that has to be. A choice of
// one's own words counts once they are written.
function markDone(item) {
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

// Marks all items, and counts those that have to be answered and are.
function markAllDone() {
  const items = document.querySelectorAll('fieldset.item:is([data-done], :has(input:checked))');
  return [...items].filter(markDone).length;
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
if (document.querySelector('#decide input:checked')) showDone(markAllDone());

// What somebody opens comes into view: the bar at the lower edge would hide it.
addEventListener('toggle', ({ target: el }) => {
  if (el.open && navigator.userActivation?.isActive) el.scrollIntoView({ block: 'nearest' });
}, true);

// Nobody waits for the rest: it is asked for, and begins, when the page has been drawn and the browser has nothing else to do.
// On two cores each would wait for the other. A page in the background is not drawn.
const loaded = new Promise((resolve) => addEventListener('load', resolve));
const drawn = new Promise((resolve) => {
  if (document.hidden) resolve();
  new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true });
  // Should it be hidden meanwhile, or the browser not tell.
  setTimeout(resolve, 1_000);
});
await Promise.all([loaded, drawn]);
if (globalThis.requestIdleCallback) await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 200 }));
