// A page arrives in pieces, and the browser draws what is there. Nothing that was drawn may move when the rest comes.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth } from '../../lib/inputs.mjs';
import { expect, test } from '../../lib/test.ts';

/** Before each first element of its kind: there the markup stops, and what is drawn is the part before. */
function stops(html: string) {
  const seen = new Set<string>();
  const found = [...html.matchAll(/<\w[^>]*>/g)].filter((tag) => {
    if (tag.index < html.indexOf('</h1>')) return false; // nothing is drawn before the first text
    const kind = [/^<[\w-]+/, / id="[^"]*"/, / class="[^"]*"/].map((part) => part.exec(tag[0])?.[0]).join('').replace(/\d+/g, '');
    return !seen.has(kind) && seen.add(kind);
  });
  return found.map((tag) => tag.index);
}

/** Serves `html` up to `stop`, and the rest when it is released. */
async function inTwoPieces(html: string) {
  let stop = 0;
  let release = () => {};
  const server: Server = createServer((request, response) => {
    if (request.url !== '/') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.write(html.slice(0, stop));
    release = () => response.end(html.slice(stop));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stopAt: (index: number) => { stop = index; },
    release: () => release(),
    close: () => { server.closeAllConnections(); server.close(); },
  };
}

for (const [lang, width] of [['zh', 1280], ['en', 360]] as const) {
  test(`nothing moves while the page arrives, ${lang}, ${width}`, async ({ browser, start }) => {
    test.slow(); // it loads the page some eighty times
    const waiting = await start(auth);
    // Without scripts of its own: what they do when they wake up has its own test.
    const html = (await (await fetch(`${waiting.url}?lang=${lang}`)).text()).replace(/<script[^]*?<\/script>/g, '');
    const pieces = await inTwoPieces(html);
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.addInitScript(() => {
      const shifts: string[] = Object.assign(window, { shifts: [] }).shifts;
      new PerformanceObserver((list) => list.getEntries().forEach((entry: any) => {
        // A space at the end of what is drawn has no width until a word follows it.
        const seen = entry.sources.map(({ node }: any) => node?.outerHTML ?? node?.textContent ?? 'a node that has gone');
        shifts.push(...seen.filter((text: string) => text.trim()).map((text: string) => text.slice(0, 80)));
      })).observe({ type: 'layout-shift', buffered: true });
    });
    const drawn = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const moved: Record<string, string[]> = {};
    for (const stop of stops(html)) {
      pieces.stopAt(stop);
      await page.goto(pieces.origin, { waitUntil: 'commit' });
      await drawn();
      pieces.release();
      await page.waitForLoadState();
      await drawn();
      const shifts = await page.evaluate(() => (window as any).shifts as string[]);
      if (shifts.length > 0) moved[html.slice(stop, stop + 80)] = shifts;
    }
    await page.close();
    pieces.close();
    expect(moved).toEqual({});
  });
}
