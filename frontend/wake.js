// The end of the page's script: starts the WASM and wakes the islands. `app` is what wasm-bindgen exports. A browser that
// cannot do it keeps a page that works without.

// What somebody opens comes into view: the bar at the lower edge would hide it.
addEventListener('toggle', ({ target: el }) => {
  if (el.open && navigator.userActivation?.isActive) el.scrollIntoView({ block: 'nearest' });
}, true);

// Not before there is something to see: on two cores each would wait for the other. A page in the background is not drawn.
const drawn = new Promise((resolve) => {
  if (document.hidden) resolve();
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
});

Promise.all([fetch('/app.wasm').then((file) => file.arrayBuffer()), drawn]).then(([module]) => {
  app.initSync({ module });
  app.hydrate();
  for (const el of document.querySelectorAll('leptos-island')) app[el.dataset.component](el);
  document.documentElement.dataset.hydrated = 'true';
}).catch((error) => console.warn('aide: plain page,', String(error)));
