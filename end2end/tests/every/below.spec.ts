// Behind a reverse proxy that serves the page below a path of its host.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { auth } from '../../lib/inputs.mjs';
import { proxy } from '../../lib/proxy.mjs';
import { answerAuth, expect, note, submit, test, wayOut } from '../../lib/test.ts';

for (const strip of [true, false]) {
  test(`below a path that the proxy ${strip ? 'takes away' : 'leaves'} everything works`, async ({ page, start, open }) => {
    const front = await proxy('/user/ann/proxy/4130/', strip);
    try {
      const waiting = await start(auth, { args: ['--url', front.url] });
      front.forward(JSON.parse(readFileSync(join(waiting.dir, '.aide/decisions/server.json'), 'utf8')).port);
      await open(page, front.url);
      await answerAuth(page);
      await note(page, 2).fill('前缀');
      // Away, and back to what was given.
      await (await wayOut(page, 'language')).click();
      await expect(page.locator('html')).toHaveAttribute('lang', 'en');
      expect(new URL(page.url()).pathname).toMatch(/^\/user\/ann\/proxy\/4130\//);
      await expect(note(page, 2)).toHaveValue('前缀');
      await submit(page).click();
      await expect(page.locator('#success')).toBeVisible();
      const { code, stdout } = await waiting.done;
      expect([code, stdout]).toEqual([0, expect.stringContaining(`→ 请访问: ${front.url}\n`)]);
      const decisions = [{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt', note: '前缀' }];
      expect(JSON.parse(waiting.result().stdout)).toEqual({ decisions });
    } finally {
      front.close();
    }
  });
}
