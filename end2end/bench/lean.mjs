// The leanest page that asks the same questions, as written by hand: one file, a kilobyte of style, fifteen lines of script, 19
// elements a question. It leaves out keyboard, drafts, review, history, a lost server, other languages, dark mode. It is the
// baseline for a page that does more.
import { createServer } from 'node:http';

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto 6rem;padding:0 1rem;color:#222;background:#fafafa}
h1{font-size:1.5rem}
fieldset{border:1px solid #ccc;border-radius:8px;padding:1rem;margin:0 0 1.5rem;background:#fff}
legend{font-weight:600;padding:0 .5rem}
label{display:block;border:1px solid #ddd;border-radius:6px;padding:.75rem;margin:.5rem 0;cursor:pointer}
label:hover{border-color:#36c}
label:has(:checked){border-color:#36c;background:#eef3ff}
label b{margin:0 .5rem}
label i{color:#666;font-style:normal;float:right}
label span{display:block;font-size:.9rem;color:#444;padding-left:1.5rem}
.pro::before{content:"+ ";color:#080}
.con::before{content:"− ";color:#a00}
footer{position:fixed;bottom:0;left:0;right:0;background:#fff;border-top:1px solid #ccc;padding:.75rem 1rem;display:flex;gap:1rem;justify-content:flex-end;align-items:center}
button{font:inherit;padding:.5rem 1.25rem;border:0;border-radius:6px;background:#36c;color:#fff}
button:disabled{background:#aaa}
`.trim();

const SCRIPT = `
const form = document.forms[0], progress = document.getElementById('progress-text');
const button = document.getElementById('submit-btn'), total = form.querySelectorAll('fieldset').length;
const answers = new Map();
const count = () => {
  progress.textContent = 'Answered ' + answers.size + '/' + total;
  button.disabled = answers.size < total;
};
form.addEventListener('change', ({ target }) => { answers.set(target.name, target.value); count(); });
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  await fetch('/submit', { method: 'POST', body: JSON.stringify([...answers]) });
  document.body.textContent = 'Done';
});
for (const input of form.querySelectorAll('input:checked')) answers.set(input.name, input.value);
count();
`.trim();

const escape = (/** @type {unknown} */ text) => String(text ?? '').replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** @param {import('../lib/inputs.mjs').Input} input */
export function page(input) {
  const spans = (/** @type {string} */ name, /** @type {string[] | undefined} */ texts) =>
    (texts ?? []).map((text) => `<span class=${name}>${escape(text)}</span>`).join('');
  const items = input.items.map((item) => {
    const options = (item.options ?? []).map((option) => `<label><input type=radio name=i${item.id} value="${escape(option.value)}"><b>${escape(option.label)}</b>`
      + `<i>${escape(option.score)}</i>${spans('pro', option.pros)}${spans('con', option.cons)}</label>`);
    return `<fieldset><legend>${item.id}. ${escape(item.title)}</legend><p>${escape(item.context)}</p>${options.join('')}</fieldset>`;
  });
  return `<!DOCTYPE html><html lang=zh-CN><meta charset=utf-8><meta name=viewport content="width=device-width"><title>${escape(input.task)}</title>`
    + `<style>${STYLE}</style><h1>${escape(input.task)}</h1><form>${items.join('\n')}`
    + `<footer><output id=progress-text></output><button id=submit-btn>Submit</button></footer></form><script>${SCRIPT}</script></html>`;
}

/** Serves the page on the loopback interface. @param {import('../lib/inputs.mjs').Input} input */
export async function serve(input) {
  const bytes = Buffer.from(page(input));
  const server = createServer((request, response) => {
    if (request.url === '/') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': bytes.length }).end(bytes);
    else response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://localhost:${port}/`, close: () => server.close() };
}
