// The page of `talosctl ui` in a real browser, on a cluster of processes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@nodewright/testkit';
import type { Browser, Page } from 'playwright-core';
import { openEtcdCluster } from '../cluster/process/etcd-cluster.ts';
import type { ProcessCluster, ProcessNode } from '../cluster/process/process-cluster.ts';
import { accessibilityFaults, noBrowser, openChromium } from './browser.ts';
import { type OpenedPage, openPage, startUi, type Ui, waitMs } from './opened-page.ts';

const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
let browser: Browser;
let ui: Ui;
let opened: OpenedPage;
let page: Page;

before(async () => {
  if (noBrowser) return;
  cluster = scope.use(await openEtcdCluster());
  browser = await openChromium();
  scope.defer(() => browser.close());
  ui = scope.use(await startUi(cluster.home));
  opened = await openPage(browser, ui.link);
  page = opened.page;
});
after(() => scope.disposeAsync());

const options = { skip: noBrowser };
const go = (hash: string) => page.goto(new URL(hash, ui.address).href);
const see = (text: string | RegExp) => page.getByText(text).first().waitFor();

/** Waits until everything that the view shows is there. A failure says what is not. */
async function hasArrived(): Promise<void> {
  const waiting = page.getByText(/^waiting for/);
  await waiting
    .first()
    .waitFor({ state: 'detached' })
    .catch(async () => assert.fail((await waiting.allTextContents()).join()));
}

test('the map shows each node by role with its figures, and the members of etcd', options, async () => {
  await page.getByRole('heading', { name: 'Cluster test' }).waitFor();
  for (const name of ['node01', 'node02', 'node03', 'node04']) {
    const card = page.locator('.node-card', { has: page.getByRole('link', { name, exact: true }) });
    await card.getByText(/running · up .* · v1\.14/).waitFor();
    await card
      .getByText(/^\d+(\.\d)? %$/)
      .first()
      .waitFor();
  }
  assert.deepEqual(await page.locator('.group h2').allTextContents(), ['Control planes 3', 'Workers 1']);
  await see(/^node0\d leads term \d+$/);
  const members = page.getByRole('region', { name: 'Members of etcd' });
  await members.getByText('follower').nth(1).waitFor();
  await page.locator('.tile.good', { hasText: 'healthy' }).waitFor();
});

/** Keeps a node away until `body` has ended: its supervisor would start it again within a second. */
async function whileKilled(node: ProcessNode, body: () => Promise<void>): Promise<void> {
  let isOver = false;
  const killing = async () => {
    for (; !isOver; await sleep(200)) await node.signal('machined', 'SIGKILL').catch(() => {});
  };
  const killed = killing();
  try {
    await body();
  } finally {
    isOver = true;
    await killed;
  }
}

test('a killed node is shown as away with the hop and the next try, and comes back', options, async () => {
  const [node] = cluster.workers;
  assert.ok(node !== undefined);
  const card = page.locator('.node-card', { has: page.getByRole('link', { name: node.name, exact: true }) });
  const away = card.getByText(/^away since \d\d:\d\d:\d\d/);
  await whileKilled(node, async () => {
    await away.waitFor();
    await card.getByText(/^failed at hop |^reported by the node itself/).waitFor();
    await card.getByText(/^next try in \d+s$|^trying now/).waitFor();
    await see('3 of 4');
  });
  await card.getByText(/running · up .* · v1\.14/).waitFor();
  await away.waitFor({ state: 'detached' });
  await see('4 of 4');
});

test('a node shows its facts, charts, services, processes, mounts and sockets', options, async () => {
  await go('#/node/node01');
  await page.getByRole('img', { name: /^Use over the last ten minutes: CPU .*%, memory .*%$/ }).waitFor();
  await page.getByText('node01, node02, node03, node04').waitFor();
  const chart = page.locator('.plot canvas').first();
  await eventually(async () => ((await chart.boundingBox())?.width ?? 0) > 200, {
    what: 'chart as wide as its panel',
    timeoutMs: waitMs,
  });

  await page.getByRole('link', { name: 'Services' }).click();
  const apid = page.locator('.services > li', { has: page.getByText('apid', { exact: true }) });
  await apid.getByRole('button', { name: /^History/ }).click();
  await apid.getByText('Health check successful').first().waitFor();

  await page.getByRole('link', { name: 'Processes' }).click();
  await page.getByRole('searchbox').fill('machined.cjs');
  await page
    .getByRole('region', { name: 'Processes' })
    .getByText(/machined\.cjs/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Memory' }).click();
  await page.locator('th[aria-sort=descending]', { hasText: 'Memory' }).waitFor();

  await page.getByRole('link', { name: 'Storage' }).click();
  await page.getByRole('region', { name: 'Mounts' }).getByRole('row').nth(1).waitFor();

  await page.getByRole('link', { name: 'Network' }).click();
  await page.getByRole('region', { name: 'Links' }).getByText('lo', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Sockets' }).getByText('LISTEN').first().waitFor();

  await page.getByRole('link', { name: 'Pods' }).click();
  await see('This is no node of Kubernetes: no kubelet runs here.');
  await see('no container runtime runs on this node: its services are processes');
});

test(
  'logs of several nodes are merged, filtered and paused, without those about the page',
  options,
  async () => {
    // Of what the page itself reads, nodes log only what not every reader may see.
    await go('#/configuration');
    await page.getByText(/type: controlplane/).waitFor();
    // Other lines would push these out of sight on a busy machine.
    await go('#/logs?logs=machined,apid&level=debug&text=MachineService/Read');
    const log = page.getByRole('log');
    await see(/of \d+ lines/);
    const linesOf = (name: string) =>
      log.locator('.log-line', { has: page.getByText(name, { exact: true }) });
    await eventually(
      async () => {
        // A call that does not reach its node, on a busy machine, leaves no line there.
        for (const name of ['node01', 'node02']) await cluster.talosctl('-n', name, 'read', '/nonexistent');
        for (const name of ['node01', 'node02']) await linesOf(name).first().waitFor({ timeout: 20_000 });
        return true;
      },
      { what: 'line of each node', timeoutMs: waitMs },
    );
    const times = await log.locator('time').allTextContents();
    assert.deepEqual(times, times.toSorted());
    await see(/about this page itself left out/);
    await page.getByRole('searchbox').fill('');

    await page.getByRole('button', { name: 'Pause' }).click();
    await cluster.talosctl('-n', 'node01', 'read', '/nonexistent-for-the-log');
    await page.getByRole('button', { name: /^Resume \([1-9]\d* new\)$/ }).click();
    await page.getByRole('searchbox').fill('MachineService/Read');
    await log.getByText('MachineService/Read').first().waitFor();
    await log
      .locator('.log-line', { hasNotText: 'MachineService/Read' })
      .first()
      .waitFor({ state: 'detached' });
    await log.locator('.log-line').first().click();
    await page.getByRole('region', { name: 'The chosen line' }).getByText('MachineService/Read').waitFor();
  },
);

test('events are grouped by the call that caused them, on all nodes', options, async () => {
  await go('#/events');
  await see(/^\d+ events of 4 nodes/);
  const { exitCode, stderr } = await cluster.talosctl('-n', 'node04', 'reboot', '--wait=false', '--yes');
  assert.equal(exitCode, 0, stderr);
  await page
    .getByRole('link', { name: /^call / })
    .first()
    .click();
  await see(/^Only what/);
  const groups = page.locator('.timeline > li');
  await groups.getByText('reboot').first().waitFor();
  await groups.nth(1).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show all' }).click();
  await groups.nth(1).waitFor();
});

test('resources are found by alias, are live, and are compared between nodes', options, async () => {
  await go('#/resources');
  await page.getByRole('searchbox', { name: 'Kinds' }).fill('hostname');
  await page.getByRole('link', { name: 'HostnameStatus' }).click();
  await page.getByRole('link', { name: 'hostname', exact: true }).click();
  await page.getByText(/hostname: node01/).waitFor();
  await page.getByLabel('Compare with node').selectOption('node02');
  await page.locator('.diff .removed', { hasText: 'hostname: node02' }).waitFor();
  await page.locator('.diff .added', { hasText: 'hostname: node01' }).waitFor();

  await page.getByRole('searchbox', { name: 'Kinds' }).fill('osrootsecret');
  await page.getByRole('link', { name: /^OSRootSecret/ }).click();
  await page.locator('.resource-list tbody a').first().click();
  await page.getByText(/spec: # secret/).waitFor();
});

test('health, configuration and controllers', options, async () => {
  await go('#/health');
  await page.locator('.checks li.passed', { hasText: 'etcd to be healthy' }).waitFor();
  await page.locator('.checks li.skipped', { hasText: 'the cluster has no Kubernetes' }).first().waitFor();
  await see('The cluster has no Kubernetes: no node runs a kubelet or a static pod.');

  await go('#/configuration');
  await page.getByText(/type: controlplane/).waitFor();
  assert.doesNotMatch(await page.locator('main').innerText(), /PRIVATE KEY|token: (?!<hidden )\S/);
  await page.getByLabel('Compare with').selectOption('node04');
  await page.locator('.diff .added', { hasText: 'type: controlplane' }).waitFor();

  await go('#/controllers/network.HostnameMergeController');
  await page.getByRole('region', { name: 'Chosen' }).or(page.getByText('Choose a controller')).waitFor();
  await page.getByRole('searchbox').fill('hostname');
  await page.getByRole('link', { name: /HostnameConfigController/ }).click();
  await page.getByRole('region', { name: 'Writes' }).getByText('HostnameSpecs').waitFor();
});

test('axe finds no fault in any view, light or dark', options, async () => {
  const views = [
    ...['cluster', 'node/node01', 'node/node01/services', 'node/node01/processes', 'node/node01/storage'],
    ...['node/node01/network', 'node/node01/pods', 'logs', 'events', 'health', 'configuration?with=node02'],
    ...['resources/Members.cluster.talos.dev/node01?text=member', 'what-if?nodes=node01', 'traces'],
    'controllers/network.HostnameConfigController',
  ];
  const faults: string[] = [];
  for (const view of views) {
    await go(`#/${view}`);
    await hasArrived();
    for (const colorScheme of ['dark', 'light'] as const) {
      // Without motion, so that no colour is still on its way.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // The other colours change nothing but the contrast.
      const rules = colorScheme === 'light' ? ['color-contrast'] : undefined;
      const found = await accessibilityFaults(page, rules);
      faults.push(...found.map((fault) => `${view}, ${colorScheme}: ${fault}`));
    }
  }
  assert.deepEqual(faults, []);
});

test('the keyboard alone reaches everything', options, async () => {
  await page.keyboard.press('1');
  await page.getByRole('heading', { name: 'Cluster test' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('to the filter of the view').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('3');
  await page.getByRole('heading', { name: 'Logs' }).waitFor();
  await page.keyboard.press('p');
  await page.getByRole('button', { name: /^Resume/ }).waitFor();
  await page.keyboard.press('p');
  await page.keyboard.press('/');
  await page.keyboard.type('1finished');
  // Digits are typed, not followed.
  await eventually(async () => (await page.getByRole('searchbox').inputValue()) === '1finished', {
    what: 'typed text in the filter',
    timeoutMs: waitMs,
  });

  await page.keyboard.press('Escape');
  await page.locator(':focus').blur();
  await page.keyboard.press('1');
  await page.getByRole('heading', { name: 'Cluster test' }).waitFor();
  const focused = async () => (await page.locator(':focus').all())[0]?.textContent();
  for (let presses = 0; (await focused()) !== 'node02'; presses += 1) {
    assert.ok(presses < 60, 'Tab does not reach node02');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'node02' }).waitFor();
});

test('the secret is only in the storage of its tab, and a link opens one page', options, async () => {
  assert.doesNotMatch(page.url(), /token/);
  const { cookies, origins } = await page.context().storageState();
  assert.deepEqual(cookies, []);
  assert.deepEqual(
    origins.flatMap(({ localStorage }) => localStorage.map(({ name }) => name)),
    ['scheme'],
  );
  assert.deepEqual(await page.evaluate('Object.keys(sessionStorage)'), ['session']);
  const second = await openPage(browser, ui.link);
  await second.page.getByText('this link has been used already, or is older than a minute').waitFor();
  await eventually(() => second.errors.length > 0, {
    what: 'refused request in the console',
    timeoutMs: waitMs,
  });
  assert.deepEqual(
    second.errors.map((text) => text.replace(/:.*/, '')),
    ['Failed to load resource'],
  );
  await second.page.reload();
  await second.page.getByText(/^This tab needs a link/).waitFor();
  await second.page.close();
});

test('nothing went wrong in the page, and it asked no other host', options, async () => {
  assert.deepEqual(opened.errors, []);
  assert.deepEqual(opened.foreign, []);
});

test('the page says when the program ends', options, async () => {
  await ui[Symbol.asyncDispose]();
  await page
    .getByRole('alert')
    .getByText(/^Not connected: /)
    .waitFor();
});
