// The end of the page's script: starts the WASM and wakes the islands. `app` is what wasm-bindgen exports. A browser that
// cannot do it keeps a page that works without.

// No part of the page waits for the rest: it is asked for, and begins, when the page has been drawn and the browser has nothing else to do.
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

const icon = document.querySelector('link[data-href]');
if (icon) icon.href = icon.dataset.href;

// Behind a reverse proxy the addresses of the server begin with a path.
const root = document.documentElement.dataset.root ?? '';
fetch(`${root}/app.wasm`).then((file) => file.arrayBuffer()).then((module) => {
  app.initSync({ module });
  app.hydrate(root);
  // The island takes over what the server has rendered, and then counts itself.
  removeEventListener('change', countEarly);
  if (progress) showDone(served);
  for (const el of document.querySelectorAll('leptos-island')) app[el.dataset.component](el);
  document.documentElement.dataset.hydrated = 'true';
}).catch((error) => {
  stopKeeping();
  console.warn('aide: plain page,', String(error));
});
