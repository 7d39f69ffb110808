// For people who do not use a mouse.
import { auth } from '../../lib/inputs.mjs';
import { expect, expectDecided, expectSuccess, success, test, type Page } from '../../lib/test.ts';

/** Presses Tab until the focus is on something that matches. */
async function tabTo(page: Page, selector: string) {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((wanted) => !!document.activeElement?.matches(wanted), selector)) return;
  }
  throw new Error(`Tab never reaches ${selector}`);
}

test('Tab, arrows, space and Enter are enough', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await tabTo(page, '#item-1 input[type=radio]');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('#item-1 input[type=radio]').nth(1)).toBeChecked();
  await tabTo(page, '#note-1');
  await page.keyboard.type('jk1ra?n');
  await tabTo(page, '#item-2 input[type=radio]');
  await page.keyboard.press('Space');
  await expect(page.locator('#item-2 input[type=radio]').first()).toBeChecked();
  await tabTo(page, '#submit-btn');
  await page.keyboard.press('Enter');
  await expectSuccess(page);
  await expectDecided(waiting, [{ id: 1, chosen: 'session', note: 'jk1ra?n' }, { id: 2, chosen: 'bcrypt' }]);
});

test('the focus is visible wherever it goes', async ({ page, start, open, mode }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const visible = () => page.evaluate(() => {
    let element = document.activeElement;
    if (!element || element === document.body) return 'nothing has the focus';
    // A card may show the focus of the button in it.
    for (let up = 0; element && up < 3; up += 1, element = element.parentElement) {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      if ((outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none') return '';
    }
    return `no focus to be seen on ${document.activeElement?.outerHTML}`;
  });
  const controls = ['#item-1 input[type=radio]', '#note-1', '#recommend-btn'];
  // Without the script history and language are buttons of the form, its last.
  const selectors = mode === 'hydrated'
    ? ['a.history', 'a.language', ...controls]
    : [...controls, 'button.history', 'button.language'];
  for (const selector of selectors) {
    await tabTo(page, selector);
    expect(await visible()).toBe('');
  }
  await expect(success(page)).toBeHidden();
});
