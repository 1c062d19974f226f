// The pages of the documentation in a real browser, opened from files: nothing is loaded from elsewhere, and people who see badly, use a
// keyboard or hold a phone can read them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaults, noBrowser, openChromium } from '../ui/browser.ts';

const checkout = join(import.meta.dirname, '..', '..');
const folder = join(checkout, '_out', 'docs-pages-test');
/** One of each kind of page. */
const kinds = [
  ...['index', 'getting-started', 'concepts-etcd', 'tutorials-first-cluster', 'how-to-readme'],
  ...['troubleshooting', 'command-etcd', 'config-vlanconfig', 'resources-cluster', 'ports', 'client'],
];
/** Those with a table, a block of code, and a long list of contents. */
const onPhone: readonly string[] = ['index', 'getting-started', 'troubleshooting', 'config-vlanconfig'];
const wide = { width: 1400, height: 900 } as const;
const phone = { width: 390, height: 844 } as const;
let browser: Browser;

before(async () => {
  if (noBrowser) return;
  execFileSync(process.execPath, ['tools/docs.ts', '--out', folder], { cwd: checkout });
  browser = await openChromium();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** axe reads style sheets again, which the pages forbid to every script; it then does without. */
const ofAxe = /^Connecting to '[^']*style\.css' violates/;

/** Opens a page from its file, and closes it afterwards. Every request that is not for a file fails the test. */
async function withPage(id: string, options: BrowserContextOptions, use: (page: Page) => Promise<void>) {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const strange: string[] = [];
    page.on('request', (request) => request.url().startsWith('file:') || strange.push(request.url()));
    page.on('pageerror', (error) => strange.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !ofAxe.test(message.text())) strange.push(message.text());
    });
    await page.goto(pathToFileURL(join(folder, `${id}.html`)).href);
    await use(page);
    assert.deepEqual(strange, []);
  } finally {
    await context.close();
  }
}

const options = { skip: noBrowser, timeout: 900_000 };

for (const colorScheme of ['light', 'dark'] as const)
  test(
    `axe finds no fault in the kinds of pages in ${colorScheme}, wide and on a phone`,
    options,
    async () => {
      for (const id of kinds)
        for (const viewport of [wide, ...(onPhone.includes(id) ? [phone] : [])])
          await withPage(id, { colorScheme, viewport }, async (page) => {
            assert.deepEqual(await accessibilityFaults(page), [], `${id} at ${viewport.width}`);
          });
    },
  );

test(
  'the search finds by keyboard, with typing errors, and axe finds no fault in its results',
  options,
  async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      await withPage('index', { colorScheme }, async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('certifcate expird');
        await page.locator('#results a').first().waitFor();
        assert.deepEqual(await accessibilityFaults(page), []);
        const first = await page.locator('#results a').evaluateAll((links) => links.slice(0, 3).map(String));
        assert.ok(
          first.some((link) => link.includes('/troubleshooting.html#client-certificate-has-expired')),
          `${first}`,
        );
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.waitForURL(/html#/);
      });
  },
);

test('the menu of a phone opens and closes, and no page is wider than it', options, async () => {
  for (const id of kinds)
    await withPage(id, { viewport: phone }, async (page) => {
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(Number(width) <= phone.width, `${id} is ${width} wide`);
      assert.equal(await page.locator('#groups').isVisible(), false);
      await page.locator('#menu').click();
      assert.equal(await page.locator('#groups').isVisible(), true);
      assert.equal(await page.locator('#menu').getAttribute('aria-expanded'), 'true');
      await page.locator('#menu').click();
      assert.equal(await page.locator('#groups').isVisible(), false);
    });
});

test(
  'a button copies the commands of a block, without what a terminal shows beside them',
  options,
  async () => {
    const copied = async (id: string, block: string, permissions: string[]) => {
      let text = '';
      await withPage(id, { permissions }, async (page) => {
        const pre = page.locator(`.block:has(${block})`).first();
        await pre.hover();
        await pre.getByRole('button').click();
        await pre.getByText('Copied').waitFor();
        text = await page.evaluate('navigator.clipboard.readText()');
      });
      return text;
    };
    const both = ['clipboard-read', 'clipboard-write'];
    assert.match(
      await copied('getting-started', 'code.language-sh', both),
      /^bin\/talosctl cluster create [^\n]*$/,
    );
    assert.equal(await copied('overview', 'code.language-console', both), 'make up KUBERNETES=1');
  },
);

test('the contents of a long page lead to its sections, and mark the one that is read', options, async () => {
  await withPage('troubleshooting', { viewport: wide }, async (page) => {
    const links = page.locator('nav.contents a');
    assert.ok((await links.count()) > 20);
    const link = page.locator('nav.contents a[href="#etcd"]');
    await link.click();
    await page.locator('nav.contents a[href="#etcd"][aria-current]').waitFor();
  });
});
