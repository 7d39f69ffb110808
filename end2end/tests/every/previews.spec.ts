// What options look like: text, a fragment of HTML, pictures, and what an agent must not bring with them.
import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectDecided, expectSuccess, submit, test } from '../../lib/test.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const option = (value: string, preview: unknown) => ({ value, label: value, preview });

test('previews are seen beside their labels, and the whole card is still the label', async ({ page, start, open }) => {
  const waiting = await start({
    task: 't',
    source: 's',
    items: [
      {
        id: 1, title: 'look',
        options: [
          option('drawn', '┌────┐\n│  a │\n└────┘'),
          option('html', '<h3>Title</h3><p>words</p>'),
          option('markdown', 'some **strong** words'),
          option('picture', `data:image/png;base64,${png}`),
        ],
      },
      { id: 2, title: 'plain', options: [{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }] },
    ],
  });
  await open(page, waiting.url);
  await expect(page.locator('.preview')).toHaveCount(4);
  await expect(page.locator('.preview pre')).toHaveText('┌────┐\n│  a │\n└────┘');
  await expect(page.locator('.preview h3')).toHaveText('Title');
  await expect(page.locator('.preview strong')).toHaveText('strong');
  const picture = page.getByRole('img', { name: 'picture' });
  expect(await picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth)).toBe(1);
  const words = page.locator('.preview', { hasText: 'words' }).first();
  await words.scrollIntoViewIfNeeded();
  const box = (await words.boundingBox())!;
  await page.mouse.click(box.x + box.width - 6, box.y + box.height - 6);
  await expect(page.getByRole('radio', { name: 'html' })).toBeChecked();
  await page.locator('#item-2').getByRole('radio', { name: 'A' }).check();
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'html' }, { id: 2, chosen: 'a' }]);
});

test('nothing of a hostile preview runs, loads, styles or is pressed', async ({ page, start, open }) => {
  const hostile = [
    '<b>1</b><script>document.title = "owned"</script>',
    '<b>2</b><img src="https://evil.test/x.png" onerror="document.title = \'owned\'">',
    '<b>3</b><style>body { display: none }</style><p style="position: fixed; inset: 0">x</p>',
    '<b>4</b><button formaction="https://evil.test/">press</button><form action="https://evil.test/"><input name="session"></form>',
    '<b>5</b><a href="javascript:document.title=1">link</a><a href="data:text/html,x">link</a>',
    '<b>6</b><svg onload="document.title = 1"><a href="https://evil.test/">x</a></svg><iframe src="https://evil.test/"></iframe>',
    '<b>7</b></div></fieldset></form><p id="decide" class="many">x</p>',
  ];
  const options = hostile.map((preview, index) => option(`o${index}`, preview));
  const waiting = await start({ task: 'hostile', source: 's', items: [{ id: 1, title: 'look', options }] });
  await open(page, waiting.url);
  for (const selector of ['script', 'style', 'img', 'button', 'form', 'input', 'svg', 'iframe', '[style]', '[id]', '[onerror]', 'a[href^="javascript" i]', 'a[href^="data" i]']) {
    await expect(page.locator(`.preview ${selector}`), selector).toHaveCount(0);
  }
  await expect(page.locator('.preview b')).toHaveCount(hostile.length);
  await expect(page.locator('form#decide')).toHaveCount(1);
  await page.getByRole('radio', { name: 'o6' }).check();
  await submit(page).click();
  await expectSuccess(page);
  await expect(page).toHaveTitle(/^hostile · aide-test-\w+$/);
  await expectDecided(waiting, [{ id: 1, chosen: 'o6' }]);
});

test('a picture of the project is shown, and nothing from outside of it', async ({ page, start, open }) => {
  const files = ['docs/a.png', 'docs/not.png', '../docs/a.png', 'docs/missing.png'];
  const options = files.map((file) => option(file, { file }));
  const waiting = await start({ task: 't', source: 's', items: [{ id: 1, title: 'look', options }] });
  // They are read when the page is shown.
  mkdirSync(join(waiting.dir, 'docs'), { recursive: true });
  writeFileSync(join(waiting.dir, 'docs/a.png'), Buffer.from(png, 'base64'));
  writeFileSync(join(waiting.dir, 'docs/not.png'), 'not a picture');
  await open(page, waiting.url);
  await expect(page.locator('.preview img')).toHaveCount(1);
  for (const file of files.slice(1)) await expect(page.locator('.preview code', { hasText: file }).first()).toBeVisible();
  await page.getByRole('radio', { name: 'docs/missing.png' }).check();
  await submit(page).click();
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'docs/missing.png' }]);
});
