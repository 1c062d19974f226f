// How tabs get, keep and share the session of the page, in a browser; and that pages of other origins get nothing of it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { noBrowser, openChromium } from './browser.ts';
import { waitMs } from './opened-page.ts';
import { ScriptedPage } from './scripted-page.ts';

const scope = new AsyncDisposableStack();
const options = { skip: noBrowser, timeout: 2 * waitMs };
let browser: Browser;

before(async () => {
  if (noBrowser) return;
  browser = await openChromium();
  scope.defer(() => browser.close());
});
after(() => scope.disposeAsync());

/** Tabs of one browser, which share what a browser shares. */
async function openTabs() {
  await using opening = new AsyncDisposableStack();
  const scripted = opening.use(await ScriptedPage.open(['node01']));
  const context = await browser.newContext();
  opening.defer(() => context.close());
  context.setDefaultTimeout(waitMs);
  const open = async (address: string) => {
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };
  const kept = opening.move();
  return { scripted, context, open, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const isLive = async (page: Page) => {
  await page.locator('.link-state.open').waitFor();
  await page.getByRole('heading', { name: 'Cluster test' }).waitFor();
};
const needsLink = (page: Page) => page.getByText(/^This tab needs a link/).waitFor();
const secretOf = (page: Page) => page.evaluate<string | null>("sessionStorage.getItem('session')");
const cookiesOf = async (context: BrowserContext) => (await context.cookies()).length;

test('a reload keeps the session, however often', options, async () => {
  await using tabs = await openTabs();
  const page = await tabs.open(tabs.scripted.link);
  await isLive(page);
  const secret = await secretOf(page);
  assert.match(secret ?? '', /^[\w-]{43}$/);
  // More often than there are sessions, so that none may be lost on the way.
  for (let count = 0; count < 12; count += 1) {
    await page.reload();
    await isLive(page);
  }
  assert.equal(await secretOf(page), secret);
  assert.equal(await cookiesOf(tabs.context), 0);
});

test(
  'a further tab gets a session of its own from one that is open, and both stay live',
  options,
  async () => {
    await using tabs = await openTabs();
    const { scripted, open } = tabs;
    const first = await open(scripted.link);
    await isLive(first);
    const second = await open(`${scripted.server.address}#/health`);
    await second.getByRole('heading', { name: 'Health' }).waitFor();
    assert.notEqual(await secretOf(second), await secretOf(first));
    // A copy of a tab begins with the storage of the original.
    const popup = tabs.context.waitForEvent('page');
    await first.evaluate(`void open(${JSON.stringify(scripted.server.address)})`);
    const copy = await popup;
    await isLive(copy);
    assert.equal(new Set([await secretOf(first), await secretOf(second), await secretOf(copy)]).size, 3);
    scripted.send({ kind: 'trials', trials: [] });
    for (const page of [first, copy]) await isLive(page);

    // The tab that had the link may go.
    await first.close();
    await second.reload();
    await second.getByRole('heading', { name: 'Health' }).waitFor();
    await isLive(await open(scripted.server.address));
    assert.equal(await cookiesOf(tabs.context), 0);
  },
);

test(
  'a tab without an open one says that it needs a link, and goes on when another tab has one',
  options,
  async () => {
    await using tabs = await openTabs();
    const { scripted, open } = tabs;
    const waiting = await open(scripted.server.address);
    await needsLink(waiting);
    await waiting.getByText('talosctl ui', { exact: true }).last().waitFor();
    const linked = await open(scripted.link);
    await isLive(linked);
    await waiting.bringToFront();
    await waiting.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await isLive(waiting);
  },
);

test('a restored tab goes on, and says what is needed when the program is another one', options, async () => {
  await using tabs = await openTabs();
  const { scripted, open } = tabs;
  const page = await open(scripted.link);
  await isLive(page);
  const secret = await secretOf(page);
  await page.close();
  // A browser restores the storage of a tab with it.
  const restore = async (kept: string) => {
    const restored = await tabs.context.newPage();
    await restored.addInitScript(
      `sessionStorage.getItem('session') ?? sessionStorage.setItem('session', '${kept}')`,
    );
    await restored.goto(scripted.server.address);
    return restored;
  };
  const restored = await restore(secret ?? '');
  await isLive(restored);
  await restored.close();
  await needsLink(await restore('x'.repeat(43)));
});

/** What a page of another origin can find out; a page of our own runs the same. */
const search = (address: string) => `(async () => {
  const found = { storage: { ...sessionStorage }, local: { ...localStorage }, cookie: document.cookie, heard: [] };
  const channel = new BroadcastChannel('session');
  channel.onmessage = ({ data }) => found.heard.push(data);
  channel.postMessage({ kind: 'wanted' });
  const attempt = async (ask) => ask().catch(() => 'refused');
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"isFurther":true}' };
  found.asked = await attempt(async () => (await fetch('${address}api/resume', post)).status);
  found.read = await attempt(async () => (await fetch('${address}')).status);
  found.locks = (await navigator.locks.query()).held.length;
  const popup = open('${address}', 'popup');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  try { found.popup = { ...popup.sessionStorage }; } catch (error) { found.popup = 'refused'; }
  const frame = document.createElement('iframe');
  frame.src = '${address}';
  document.body.append(frame);
  await new Promise((resolve) => setTimeout(resolve, 500));
  try { found.frame = { ...frame.contentWindow.sessionStorage }; } catch (error) { found.frame = 'refused'; }
  return found;
})()`;

interface Found {
  readonly storage: object;
  readonly cookie: string;
  readonly heard: readonly { readonly kind: string; readonly secret?: string }[];
  readonly asked: unknown;
  readonly read: unknown;
  readonly locks: number;
  readonly popup: unknown;
  readonly frame: unknown;
}

test('a page from another port of 127.0.0.1 gets nothing', options, async () => {
  await using tabs = await openTabs();
  const { scripted, open } = tabs;
  const { address } = scripted.server;
  await isLive(await open(scripted.link));
  const other = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>other</title><body></body>');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    const foreign = await open(`http://127.0.0.1:${port}/`);
    assert.deepEqual(await foreign.evaluate<Found>(search(address)), {
      ...{ storage: {}, local: {}, cookie: '', heard: [], asked: 'refused', read: 'refused', locks: 0 },
      ...{ popup: 'refused', frame: 'refused' },
    });
    // The same search finds the secret where it is allowed to.
    const own = await open(`${address}#/health`);
    await own.getByRole('heading', { name: 'Health' }).waitFor();
    const { storage, heard, locks } = await own.evaluate<Found>(search(address));
    assert.deepEqual(Object.keys(storage), ['session']);
    assert.equal(
      heard.some(({ kind, secret }) => kind === 'secret' && secret !== undefined),
      true,
    );
    assert.ok(locks > 0);
  } finally {
    other.closeAllConnections();
    other.close();
  }
});
