// Questions that a person does not answer but sends back.
import { run } from '../../lib/aide.mjs';
import { auth } from '../../lib/inputs.mjs';
import { choose, expect, note, overflow, test, titleOf } from '../../lib/test.ts';

test('the questions go back with a reason, and nothing is decided', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 1, 'jwt');
  await page.locator('#return summary').click();
  await page.locator('#return-message').fill('缺少成本估算\n<b>先补充</b>');
  await page.getByRole('checkbox', { name: '2. 密码加密算法' }).check();
  await page.getByRole('button', { name: '退回' }).click();

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('已退回');
  await expect(page.locator('.reason')).toHaveText('缺少成本估算\n<b>先补充</b>');
  // The page says what it is about, which question was named, what comes next, and how to see it again, like any other end.
  await expect(page).toHaveTitle(`已退回 · ${titleOf(waiting, auth)}`);
  await expect(page.locator('.named li')).toHaveText(['2. 密码加密算法']);
  await expect(page.locator('#notice')).toContainText('对方修改后可以再次提问');
  await expect(page.locator('#notice .close')).toHaveText('您可以关闭此页面。');
  const [again] = await page.locator('.see-again code').allTextContents();
  const { code, stderr } = await waiting.done;
  expect([code, stderr]).toEqual([1, '⚠ 用户退回了待定项（只涉及第 2 项）: 缺少成本估算\\n<b>先补充</b>\n']);
  const [record] = Object.values(waiting.records());
  expect(record.returned).toEqual({ message: '缺少成本估算\n<b>先补充</b>', items: [2] });
  expect(record).not.toHaveProperty('output');
  expect(waiting.result().code).toBe(1);
  const shown = run(waiting.dir, ...(again ?? '').split(' ').slice(1));
  expect([shown.code, shown.stdout.includes('缺少成本估算')]).toEqual([0, true]);
});

test('without a reason nothing goes back, and nothing is lost', async ({ page, start, open, guard }) => {
  // The page comes back with the status 400, which the browser reports.
  guard.allow(/status of 400/, /\/submit\b/);
  const waiting = await start(auth);
  await open(page, waiting.url);
  await choose(page, 1, 'session');
  await note(page, 2).fill('还在');
  await page.locator('#return summary').click();
  await page.getByRole('checkbox', { name: '1. 认证方式选择' }).check();
  await page.getByRole('button', { name: '退回' }).click();

  await expect(page.locator('#return-error')).toHaveText('请填写退回原因');
  await expect(page.getByRole('checkbox', { name: '1. 认证方式选择' })).toBeChecked();
  await expect(page.locator('#item-1 input:checked')).toHaveValue('1');
  await expect(note(page, 2)).toHaveValue('还在');
  expect(waiting.running).toBe(true);
  expect(waiting.records()).toEqual({});
});

test('a reason that was only typed is there again after a crash, and in another browser', async ({ page, mode, browser, start, open, guard }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const kept = page.waitForResponse((response) => /\/fn\/draft$|\/submit\b/.test(response.url()) && decodeURIComponent(response.request().postData() ?? '').includes('写到'));
  await page.locator('#return summary').click();
  await page.getByRole('checkbox', { name: '1. 认证方式选择' }).check();
  await page.locator('#return-message').fill('写到');
  // Without script, what is typed is kept when the page is left by one of its own ways.
  if (mode !== 'hydrated') await page.locator('#review-btn').click();
  expect((await kept).ok()).toBe(true);
  await page.goto('about:blank');
  await waiting.kill();

  const again = await start(auth, { dir: waiting.dir });
  const elsewhere = await browser.newContext({ locale: 'zh-CN', javaScriptEnabled: mode !== 'no-js' });
  guard.watch(elsewhere);
  const other = await elsewhere.newPage();
  await other.goto(again.url);
  await expect(other.locator('#return-message')).toHaveValue('写到');
  await expect(other.locator('#return-message')).toBeVisible();
  await expect(other.getByRole('checkbox', { name: '1. 认证方式选择' })).toBeChecked();
  await elsewhere.close();
});

test('the way to send back is there in every width', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await page.locator('#return summary').click();
  for (const width of [360, 1280, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(page.locator('#return-btn')).toBeVisible();
    expect(await overflow(page), `at ${width}`).toBe(0);
  }
});
