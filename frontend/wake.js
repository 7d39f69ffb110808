// The end of the page's script: starts the WASM and wakes the islands. `app` is what wasm-bindgen exports. A browser that
// cannot do it keeps a page that works without.

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
}).catch((error) => console.warn('aide: plain page,', String(error)));
