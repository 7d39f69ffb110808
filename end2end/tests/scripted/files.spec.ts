// What the script does with files: it sends them at once, and says how far it is.
import { expect, expectSuccess, choose, submit, test, type Page } from '../../lib/test.ts';
import { expectAccessible } from '../../lib/axe.ts';
import { asked, attachment, expectAttached, field, file, largeFile, onDisk, removal, rows } from '../../lib/files.ts';

const status = (page: Page, item: number) => page.locator(`#item-${item} .files-status`);

/** Holds what is sent to an item until the promise that is returned is called. */
async function hold(page: Page, item: number) {
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route(`**/files/${item}?*`, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  return () => go();
}

test('20 MB are attached with progress', async ({ page, start, open }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  const content = Buffer.alloc(20_000_000, 'aide ');
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      const value = document.querySelector<HTMLProgressElement>('.files-list progress')?.value;
      if (value) seen.push(value);
    }).observe(document.querySelector('#item-3 .files-list')!, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  await field(page, 3).setInputFiles(largeFile('large.png', content));
  await expectAttached(page, 3, 'large.png');
  await expect(rows(page, 3)).toContainText('20 MB');
  await expect(status(page, 3)).toHaveText('已添加 large.png');
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
  expect(seen.length).toBeGreaterThan(0);
  expect(Math.max(...seen)).toBe(1);
  expect(Buffer.from(onDisk(waiting, 3)['large.png']!).equals(content)).toBe(true);
  await choose(page, 1, 'a');
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;
  expect(JSON.parse(waiting.result().stdout).decisions[1].files).toEqual([attachment('large.png', content)]);
});

test('a reload keeps what is attached, and the progress', async ({ page, start, open }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  await expect(page.getByText('已完成 0/2 项')).toBeVisible();
  await field(page, 3).setInputFiles([file('a.svg', 'x')]);
  await expect(page.getByText('已完成 1/2 项')).toBeVisible();
  await open(page, waiting.url);
  await expectAttached(page, 3, 'a.svg');
  await expect(page.getByText('已完成 1/2 项')).toBeVisible();
  await removal(page, 'a.svg').click();
  await expect(page.getByText('已完成 0/2 项')).toBeVisible();
  await expect(status(page, 3)).toHaveText('已移除 a.svg');
  await open(page, waiting.url);
  await expect(rows(page, 3)).toHaveCount(0);
  await expect(page.getByText('已完成 0/2 项')).toBeVisible();
});

test('files that are dropped are chosen', async ({ page, start, open }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  // What a browser does with files that are dropped on a field for files.
  await field(page, 3).evaluate((input: HTMLInputElement) => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'dropped.svg'));
    input.dispatchEvent(new DragEvent('dragenter', { dataTransfer: data, bubbles: true }));
    if (!input.closest('.files.over')) throw new Error('nothing says that it can be dropped');
    input.files = data.files;
    input.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await expectAttached(page, 3, 'dropped.svg');
  await expect(page.locator('.files.over')).toHaveCount(0);
});

test('one goes after another, and any can be cancelled', async ({ page, start, open }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  const go = await hold(page, 3);
  await field(page, 3).setInputFiles([file('a.svg', 'x'), file('b.svg', 'y'), file('c.svg', 'z')]);
  await expect(status(page, 3)).toHaveText('正在上传 a.svg');
  await expect(rows(page, 3).nth(1)).toContainText('等待上传');
  await page.getByRole('button', { name: '取消上传 b.svg' }).click();
  await expect(rows(page, 3)).toHaveCount(2);
  await page.getByRole('button', { name: '取消上传 a.svg' }).click();
  go();
  await expectAttached(page, 3, 'c.svg');
  await expect(rows(page, 3)).toHaveCount(1);
});

test('nothing is sent while a file is on its way', async ({ page, start, open }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  await choose(page, 1, 'a');
  await field(page, 3).setInputFiles([file('a.svg', 'x')]);
  await expectAttached(page, 3, 'a.svg');
  const go = await hold(page, 4);
  await field(page, 4).setInputFiles([file('b.pdf', 'y')]);
  await expect(status(page, 4)).toHaveText('正在上传 b.pdf');
  await submit(page).click();
  await expect(status(page, 4)).toHaveText('文件仍在上传，请等待完成后再提交');
  await expect(status(page, 4)).not.toHaveClass(/unseen/);
  await page.keyboard.press('Control+Enter');
  go();
  await expectAttached(page, 4, 'b.pdf');
  await submit(page).click();
  await expectSuccess(page);
  await waiting.done;
  expect(JSON.parse(waiting.result().stdout).decisions[2].files).toEqual([attachment('b.pdf', 'y')]);
});

test('what fails can be tried again, or put away', async ({ page, start, open, guard }) => {
  guard.allow(/net::ERR_FAILED|status of 507/, /\/files\/3\b/);
  const waiting = await start(asked);
  await open(page, waiting.url);
  await page.route('**/files/3?*', (route) => route.abort());
  await field(page, 3).setInputFiles([file('a.svg', 'x')]);
  await expect(rows(page, 3)).toContainText('无法连接，请重试');
  await page.unroute('**/files/3?*');
  await page.getByRole('button', { name: '重新上传 a.svg' }).click();
  await expectAttached(page, 3, 'a.svg');
  await page.route('**/files/3?*', (route) => route.fulfill({ status: 507, json: { error: 'e', detail: '磁盘空间不足' } }));
  await field(page, 3).setInputFiles([file('b.svg', 'x')]);
  await expect(rows(page, 3).nth(1)).toContainText('磁盘空间不足');
  await removal(page, 'b.svg').click();
  await expect(rows(page, 3)).toHaveCount(1);
});

test('what the server would refuse is not sent', async ({ page, start, open }) => {
  const waiting = await start(asked);
  await open(page, waiting.url);
  let sent = 0;
  page.on('request', (request) => (sent += request.url().includes('/files/3') ? 1 : 0));
  await field(page, 3).setInputFiles([file('a.svg', 'x'), file('b.svg', 'y'), file('c.svg', 'z')]);
  await expectAttached(page, 3, 'a.svg', 'b.svg');
  await expect(rows(page, 3).nth(2)).toContainText('此项最多 2 个附件');
  await field(page, 3).setInputFiles(largeFile('a.svg', Buffer.alloc(30_000_001)));
  await expect(rows(page, 3).nth(3)).toContainText('每个附件不能超过 30 MB');
  await field(page, 3).setInputFiles(largeFile('a.mov', Buffer.alloc(8_000_000)));
  await expect(rows(page, 3).nth(4)).toContainText('只接受以下名称的文件');
  // Another one of the same name takes its place.
  await field(page, 3).setInputFiles([file('b.svg', 'other')]);
  await expect(rows(page, 3)).toHaveCount(5);
  await expect.poll(() => sent).toBe(3);
  await expectAttached(page, 3, 'a.svg', 'b.svg');
});

test('keys alone are enough', async ({ page, start, open }) => {
  // From now on the browser asks the test for files; that must have been arranged before a key is pressed.
  page.on('filechooser', () => {});
  const waiting = await start(asked);
  await open(page, waiting.url);
  const tabTo = async (selector: string) => {
    const isThere = () => page.evaluate((wanted) => !!document.activeElement?.matches(wanted), selector);
    for (let presses = 0; presses < 40 && !(await isThere()); presses += 1) await page.keyboard.press('Tab');
    expect(await isThere(), selector).toBe(true);
  };
  await tabTo('#item-1 input');
  await page.keyboard.press('Space');
  await tabTo('#files-3');
  for (const [key, names] of [['Space', ['a.svg', 'b.svg']], ['Enter', ['c.svg']]] as const) {
    const chooser = page.waitForEvent('filechooser');
    await page.keyboard.press(key);
    await (await chooser).setFiles(names.map((name) => file(name, 'x')));
    await expect(rows(page, 3)).toHaveCount(key === 'Space' ? 2 : 3);
    await page.locator('#files-3').focus();
  }
  // The third is one too many.
  await page.getByRole('button', { name: '移除 c.svg' }).focus();
  await page.keyboard.press('Enter');
  await expect(field(page, 3)).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(removal(page, 'b.svg')).toBeFocused();
  await page.keyboard.press('Space');
  await expectAttached(page, 3, 'a.svg');
  await expect(removal(page, 'a.svg')).toBeFocused();
  await tabTo('#submit-btn');
  await page.keyboard.press('Enter');
  await expectSuccess(page);
});

test('everything is accessible, light and dark', async ({ page, start, open, guard }) => {
  guard.allow(/status of 400/, /\/files\/3\b/);
  const waiting = await start(asked);
  await open(page, waiting.url);
  await field(page, 3).setInputFiles([file('a.svg', 'x'), file('b.exe', 'x')]);
  await expect(rows(page, 3)).toHaveCount(2);
  await expect(page.locator('[data-job=failed]')).toBeVisible();
  const go = await hold(page, 4);
  await field(page, 4).setInputFiles([file('b.pdf', 'y')]);
  await expect(rows(page, 4)).toHaveCount(1);
  await expectAccessible(page);
  go();
});
