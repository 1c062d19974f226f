// The page while one command upgrades a control plane and a worker: it follows the plan, and a node that restarts in its turn is no fault.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { eventually } from '@nodewright/testkit';
import type { ProcessCluster } from '../../cluster/process/process-cluster.ts';
import { noBrowser, openChromium } from '../../ui/browser.ts';
import { openPage, startUi } from '../../ui/opened-page.ts';
import { awaitWell } from '../await-well.ts';
import { openUpgradable } from '../open-upgradable.ts';

const skip = noBrowser || skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const image = 'registry.test/installer:v1.14.6';
let cluster: ProcessCluster;

before(async () => {
  if (skip) return;
  const artefacts = { 'registry.test': { version: 'v1.14.6' } };
  cluster = await openUpgradable(scope, { controlPlanes: 1, workers: 1 }, artefacts);
});

/** Notes each thing that the page says about the cluster and about the nodes in their turns, once, in the order in which it says it. */
const watcher = `(() => {
  const seen = globalThis.seen = { lines: [], numbers: [] };
  const look = () => {
    const numbers = new Set([...document.querySelectorAll('[data-snapshot]')].map(({ dataset }) => dataset.snapshot));
    if (numbers.size > 1) seen.numbers.push([...numbers].join());
    const state = document.querySelector('.cluster-state');
    const words = [...document.querySelectorAll('.turns > li')].map((row) =>
      row.querySelector('.turn-name').firstChild.textContent + ' ' + row.querySelector('.turn-state strong').textContent);
    const dot = state?.querySelector('.dot')?.classList[1];
    const line = [dot, state?.querySelector('a')?.textContent, ...words].join(' | ');
    if (seen.lines.at(-1) !== line) seen.lines.push(line);
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
})()`;

test('the page follows a real roll-out, with its driver, its begin and the steps of each node', {
  skip,
  timeout: 900_000,
}, async (t) => {
  await awaitWell(cluster, image);
  const browser = await openChromium();
  scope.defer(() => browser.close());
  const ui = scope.use(await startUi(cluster.home));
  const { page, errors } = await openPage(browser, ui.link);
  await page.getByRole('heading', { name: 'Cluster test' }).waitFor();
  await page.locator('.cluster-state.good').waitFor();
  await page.goto(new URL('#/upgrade', ui.address).href);
  await page.getByText('no upgrade of all nodes has begun yet').waitFor();
  await page.evaluate(watcher);
  const begun = await cluster.talosctl('upgrade', '--all', '--image', image, '--yes', '--no-wait');
  assert.equal(begun.exitCode, 0, begun.stderr);
  const facts = page.locator('.facts');
  await facts.getByText('node01', { exact: true }).waitFor();
  await facts.getByText(/^\d{4}-\d\d-\d\d .*, \d+m?.*s ago$/).waitFor();
  const seen = () => page.evaluate<{ lines: string[]; numbers: string[] }>('seen');
  let last = '';
  await eventually(
    async () => {
      last = (await seen()).lines.join('\n');
      return (await page.getByText('the upgrade is done: 2 of 2 nodes done').count()) > 0;
    },
    { what: 'the end of the roll-out', timeoutMs: 600_000, explain: () => last },
  );
  const { lines, numbers } = await seen();
  for (const line of lines) t.diagnostic(line);
  assert.deepEqual(numbers, [], 'all parts show one snapshot');
  for (const name of ['node01', 'node02']) {
    // A node that is away in its turn was never called a fault. The worker cannot be asked while the only control plane restarts.
    assert.ok(
      lines.some((line) => line.includes(`${name} restarts`)),
      `${name} restarts`,
    );
    assert.deepEqual(
      lines.filter(
        (line) =>
          line.startsWith('bad |') && line.includes(`away: ${name}`) && !line.includes('node01 restarts'),
      ),
      [],
    );
  }
  assert.deepEqual(errors, []);
});
