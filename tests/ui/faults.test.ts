// Nodes that die and come back while a page is open: what all its parts say, and how soon. FAULTS= and SEED= choose how many and which.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@nodewright/testkit';
import type { Browser, Page } from 'playwright-core';
import { ClusterPages } from '../../cli/talosctl/src/ui/collect/cluster-pages.ts';
import { readPageFiles } from '../../cli/talosctl/src/ui/server/page-files.ts';
import { PageServer } from '../../cli/talosctl/src/ui/server/page-server.ts';
import { noBrowser, openChromium } from './browser.ts';
import { type ManyNodes, openManyNodes } from './many-nodes.ts';
import { openPage } from './opened-page.ts';

const folder = join(import.meta.dirname, '..', '..', '_out', 'dist', 'talosctl', 'ui');
/** Fifty take four minutes beside other suites. */
const faults = Number(process.env.FAULTS ?? (process.env.CI === 'true' ? 20 : 50));
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const names = ['node001', 'node002', 'node003', 'node004'];
/** A fault takes three seconds to be noticed, and as long to be over; a busy machine takes longer. */
const faultMs = 60_000;

const scope = new AsyncDisposableStack();
let browser: Browser;
let server: PageServer;
let nodes: ManyNodes;
const dead = new Set<string>();

before(async () => {
  if (noBrowser) return;
  nodes = scope.use(await openManyNodes({ count: names.length, linesPerSecond: 1 }));
  const { client } = nodes;
  const backend = scope.use(
    new ClusterPages({
      ...{ client, nodes: client.targets, session: 'faults-test', context: 'test' },
      now: () => new Date(),
      openChecks: () => ({
        async run() {
          await sleep(100);
          return [
            dead.size === 0
              ? { name: 'all nodes to answer', state: 'passed' }
              : { name: 'all nodes to answer', state: 'failed', reason: 'no route' },
            { name: 'another one', state: 'passed' },
          ];
        },
        [Symbol.dispose]() {},
      }),
    }),
  );
  server = scope.use(
    await PageServer.listen({ files: await readPageFiles(folder), backend, port: 0, now: Date.now }),
  );
  browser = await openChromium();
  scope.defer(() => browser.close());
});
after(() => scope.disposeAsync());

/** Numbers from 0 to 1 that depend on the seed alone: mulberry32. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Looks at the page after each change of it, in the page: whether all parts show one number, and whether one says well beside a node
 * that is away. Keeps the times at which the page turned red and stopped being red.
 */
const watcher = `(() => {
  const seen = { faults: [], redMs: 0, calmMs: 0, looks: 0, isRed: false };
  globalThis.seen = seen;
  const praise = /(?<!not )\\b(well|healthy)\\b/;
  const look = () => {
    const parts = [...document.querySelectorAll('[data-snapshot]')];
    if (parts.length === 0) return;
    seen.looks += 1;
    const numbers = new Set(parts.map(({ dataset }) => dataset.snapshot));
    if (numbers.size > 1) seen.faults.push('numbers ' + [...numbers].join());
    const isRed = document.querySelector('.cluster-state .dot.bad') !== null;
    const dots = [...document.querySelectorAll('[data-snapshot] .dot')].map((dot) => dot.getAttribute('aria-label'));
    const said = [...parts.map(({ innerText }) => innerText), ...dots].find((text) => praise.test(text));
    if (isRed && said !== undefined) seen.faults.push('while a node is away: ' + said);
    const away = document.querySelector('.node-card.bad, .checks li.failed, .members .away');
    if (!isRed && away !== null) seen.faults.push('red beside ' + document.querySelector('.cluster-state').innerText);
    if (isRed !== seen.isRed) seen[isRed ? 'redMs' : 'calmMs'] = Date.now();
    seen.isRed = isRed;
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
})()`;

interface Seen {
  readonly faults: readonly string[];
  readonly redMs: number;
  readonly calmMs: number;
  readonly looks: number;
}

/** Waits until the expression is true in the page, whose policy forbids the browser's own polling of texts. */
const until = (page: Page, expression: string) =>
  eventually(() => page.evaluate<boolean>(expression), { what: expression, timeoutMs: faultMs });
const isRed = (page: Page, wanted: boolean) => until(page, `seen.isRed === ${wanted}`);
const isWell = (page: Page) => until(page, "document.querySelector('.cluster-state .dot.good') !== null");

const millis = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b);
  const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return `${((median ?? 0) / 1000).toFixed(2)} s, at most ${((most ?? 0) / 1000).toFixed(2)} s`;
};

test(`in ${faults} faults all parts of the page show one snapshot, and none says well beside a dead node (SEED=${seed})`, {
  skip: noBrowser,
  timeout: faults * 2 * faultMs,
}, async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const random = randomFrom(seed);
  const { page, errors } = await openPage(browser, `${server.address}#token=${server.issueToken().text}`);
  await page
    .locator('.node-card')
    .nth(names.length - 1)
    .waitFor();
  await page.evaluate(watcher);
  const [toRed, toWell]: [number[], number[]] = [[], []];
  for (let count = 0; count < faults; count += 1) {
    const victim = names[Math.floor(random() * names.length)] as string;
    const views = ['#/cluster', '#/health', `#/node/${victim}`, '#/logs', '#/what-if'];
    await page.goto(new URL(views[Math.floor(random() * views.length)] ?? '', server.address).href);
    await isWell(page);
    await sleep(random() * 3000);
    const killedMs = Date.now();
    dead.add(victim);
    nodes.kill(victim);
    await isRed(page, true);
    await sleep(random() * 1000);
    const revivedMs = Date.now();
    dead.delete(victim);
    nodes.revive(victim);
    await isRed(page, false);
    await isWell(page);
    const wellMs = Date.now();
    const seen = await page.evaluate<Seen>('seen');
    assert.deepEqual(seen.faults, [], `fault ${count} of ${victim}`);
    toRed.push(seen.redMs - killedMs);
    toWell.push(wellMs - revivedMs);
  }
  const { looks } = await page.evaluate<Seen>('seen');
  t.diagnostic(`from fault to red: median ${millis(toRed)}`);
  t.diagnostic(`from recovery to well again: median ${millis(toWell)}`);
  t.diagnostic(`looked ${looks} times`);
  await page.goto(new URL('#/health', server.address).href);
  const outages = page.getByRole('region', { name: 'Outages seen' }).getByRole('row');
  assert.ok((await outages.count()) - 1 >= faults, 'each fault is in the list of outages');
  assert.deepEqual(errors, []);
});
