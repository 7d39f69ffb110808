// What a browser loads to show the page, and how many bytes that is on the wire.
import { request } from 'node:http';

/**
 * The body of `url` as it is sent to Chromium.
 * @param {string} url
 * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, body: Buffer }>}
 */
export function fetchCompressed(url) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false, headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/**
 * Opens the page and asks again for all that the browser asked for.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 */
export async function pageSize(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const loaded = new Set();
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().startsWith('http')) loaded.add(request.url());
  });
  await page.goto(url);
  await page.locator('html[data-hydrated=true]').waitFor();
  // The icon, which a browser without a window does not load.
  for (const icon of await page.locator('link[rel=icon]').all()) {
    const href = await icon.evaluate((link) => /** @type {HTMLLinkElement} */ (link).href);
    if (href.startsWith('http')) loaded.add(href);
  }
  await context.close();
  const files = [];
  for (const address of loaded) {
    const { status, headers, body } = await fetchCompressed(address);
    if (status !== 200) throw new Error(`${address}: status ${status}`);
    files.push({ path: new URL(address).pathname, bytes: body.length, encoding: headers['content-encoding'] ?? 'none' });
  }
  return { files, total: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}
