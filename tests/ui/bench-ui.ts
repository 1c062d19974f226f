// Measures the page: `make bench-ui`. Writes _out/bench-ui.json.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { ClusterPages } from '../../cli/talosctl/src/ui/collect/cluster-pages.ts';
import { readPageFiles } from '../../cli/talosctl/src/ui/server/page-files.ts';
import { PageServer } from '../../cli/talosctl/src/ui/server/page-server.ts';
import { noBrowser, openChromium } from './browser.ts';
import { type FrameTimes, traceFrames } from './frame-times.ts';
import { openManyNodes } from './many-nodes.ts';
import { openPage } from './opened-page.ts';

const out = join(import.meta.dirname, '..', '..', '_out');
const folder = join(out, 'dist', 'talosctl', 'ui');
const traceMs = 20_000;
/** The page keeps 20,000 lines. Later it would not be seen how many arrive. */
const [logWarmUpMs, logTraceMs] = [5000, 10_000];
const paints = 5;

if (noBrowser) {
  process.stderr.write(`bench-ui: ${noBrowser}\n`);
  process.exit(1);
}

/** Milliseconds from the navigation to the first content, the median of some pages. */
async function firstPaint(browser: Browser, server: PageServer): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < paints; count += 1) {
    const { page } = await openPage(browser, `${server.address}#token=${server.issueToken().text}`);
    await page.locator('.node-card').first().waitFor();
    const paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
    times.push((await page.evaluate<number>(paint)) ?? Number.NaN);
    await page.close();
  }
  return times.sort((a, b) => a - b)[Math.floor(paints / 2)] ?? Number.NaN;
}

await using scope = new AsyncDisposableStack();
const { client } = scope.use(await openManyNodes({ count: 100, linesPerSecond: 250 }));
const backend = scope.use(
  new ClusterPages({
    ...{ client, nodes: client.targets, session: 'bench-ui', context: 'bench' },
    now: () => new Date(),
  }),
);
const files = await readPageFiles(folder);
const server = scope.use(await PageServer.listen({ files, backend, port: 0, now: Date.now }));
const browser = await openChromium();
scope.defer(() => browser.close());

const compressedBytes = readdirSync(folder)
  .filter((name) => !name.endsWith('.txt'))
  .map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length)
  .reduce((sum, bytes) => sum + bytes, 0);
const firstPaintMs = await firstPaint(browser, server);
const { page } = await openPage(browser, `${server.address}#token=${server.issueToken().text}`);
await page.locator('.node-card').nth(99).waitFor();
const session = await page.context().newCDPSession(page);
// Sparklines of ten minutes would take ten minutes: after some samples their cost per frame hardly grows.
await page.waitForTimeout(15_000);
const map = await traceFrames(session, traceMs);

await page.goto(new URL('#/logs?nodes=node001,node002&logs=apid,quiet&level=debug', server.address).href);
await page.locator('.log-line').first().waitFor();
await page.waitForTimeout(logWarmUpMs);
const countOf = async () => Number(/of (\d+) lines/.exec(await page.locator('.view-head').innerText())?.[1]);
const [before, began] = [await countOf(), performance.now()];
const logs = await traceFrames(session, logTraceMs);
const linesPerSecond = Math.round((((await countOf()) - before) * 1000) / (performance.now() - began));

const result = { compressedBytes, firstPaintMs, map, logs, linesPerSecond };
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'bench-ui.json'), `${JSON.stringify(result, undefined, 2)}\n`);
const frames = ({ median, p95, longest, share }: FrameTimes) =>
  `${median.toFixed(1)} ms, ${p95.toFixed(1)} ms at the 95th percentile, ${longest.toFixed(1)} ms at most; busy ${(share * 100).toFixed(0)} % of the time`;
process.stdout.write(
  [
    `bundle             ${(compressedBytes / 1000).toFixed(1)} kB compressed`,
    `first paint        ${firstPaintMs.toFixed(0)} ms`,
    `map, 100 nodes     ${frames(map)}`,
    `logs, ${linesPerSecond} lines/s  ${frames(logs)}`,
    '',
  ].join('\n'),
);
process.exit(0);
