// What the page changes on a cluster of processes: configurations that nodes try, and actions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import type { Browser, Page } from 'playwright-core';
import { openEtcdCluster } from '../cluster/process/etcd-cluster.ts';
import type { ProcessCluster } from '../cluster/process/process-cluster.ts';
import { accessibilityFaults, noBrowser, openChromium } from './browser.ts';
import { type OpenedPage, openPage, startUi, type Ui, waitMs } from './opened-page.ts';

/** For a reboot, which takes half a minute on an idle machine. */
const rebootMs = 450_000;
const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
let browser: Browser;
let ui: Ui;
let opened: OpenedPage;
let page: Page;

before(async () => {
  if (noBrowser) return;
  cluster = scope.use(await openEtcdCluster({ environment: { NODEWRIGHT_TRACES: 'keep' } }));
  browser = await openChromium();
  scope.defer(() => browser.close());
  ui = scope.use(await startUi(cluster.home, ['--allow-actions']));
  opened = await openPage(browser, ui.link);
  page = opened.page;
  // All nodes answer before the tests begin.
  await page
    .locator('.node-card')
    .getByText(/^running · up /)
    .nth(3)
    .waitFor();
});
after(() => scope.disposeAsync());

const options = { skip: noBrowser };
const go = (hash: string) => page.goto(new URL(hash, ui.address).href);
const editor = (name: string) => page.getByRole('textbox', { name: `Configuration of ${name}` });
const trialOf = (name: string) =>
  page.getByRole('region', { name: 'Configurations on trial' }).locator('.trial', { hasText: name });
/** The configuration of node03 before its trial. */
let earlier: { readonly text: string; readonly version: number } | undefined;

/** Writes a key below `machine:` with the keyboard alone, from the beginning of the page. */
async function writeKernelParameter(node: string, value: string): Promise<void> {
  await go(`#/configuration?node=${node}&edit=1`);
  await editor(node).focus();
  await page.keyboard.press('Control+Home');
  const text = await editor(node).innerText();
  const row = text.split('\n').findIndex((line) => line.startsWith('machine:'));
  for (let at = 0; at < row; at += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('sysct');
  await page.getByRole('option', { name: /^sysctls/ }).waitFor();
  // A list that has just appeared takes no key, so that a fast typist does not accept it by accident.
  await page.waitForTimeout(250);
  await page.keyboard.press('Enter');
  await editor(node).getByText('sysctls:').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type(`net.ipv4.ip_forward: "${value}"`);
  await page.getByText('The text is valid.').waitFor();
}

async function configurationOf(node: string): Promise<{ text: string; version: number }> {
  const { stdout, stderr, exitCode } = await cluster.talosctl(
    '-n',
    node,
    'get',
    'mc',
    'v1alpha1',
    '-o',
    'json',
  );
  assert.equal(exitCode, 0, stderr);
  const { metadata, spec } = JSON.parse(stdout) as { metadata: { version: string }; spec: string };
  return { text: spec, version: Number(metadata.version) };
}

test('a dry run shows what changes, and then the node tries it', options, async () => {
  earlier = await configurationOf('node03');
  await writeKernelParameter('node03', '1');
  await page.getByRole('button', { name: 'Show what changes' }).click();
  const dryRun = page.getByRole('region', { name: 'What changes', exact: true });
  await dryRun.getByText(/applied in 'try' mode .*\(skipped in dry-run\)/).waitFor();
  assert.deepEqual(
    (await dryRun.locator('.added').allInnerTexts()).map((line) => line.trim().replace(/ +/g, ' ')),
    ['+ sysctls:', '+ net.ipv4.ip_forward: "1"'],
  );
  assert.deepEqual(await configurationOf('node03'), earlier, 'a dry run changes nothing');

  await page.getByLabel('for').selectOption('60');
  await page.getByRole('button', { name: 'Try it' }).click();
  await trialOf('node03').getByText('tries a configuration').waitFor();
  await trialOf('node03')
    .getByText(/^\d+ s$/)
    .waitFor();
});

test('the editor completes, shows faults at their line, and leaves with Tab', options, async () => {
  await writeKernelParameter('node01', '1');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nnonsense: 1');
  await page.getByText(/line \d+: "nonsense" is not a key/).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Try it' }).isDisabled(), true);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page
    .getByRole('alert')
    .getByText(/"nonsense" is not a key/)
    .waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('This is the active configuration.').waitFor();
});

test('a tried configuration is kept, and nodes of the role differ from it', options, async () => {
  await writeKernelParameter('node02', '0');
  await page.getByLabel('for').selectOption('900');
  await page.getByRole('button', { name: 'Try it' }).click();
  await trialOf('node02').getByRole('button', { name: 'Keep it' }).click();
  await trialOf('node02').getByText('keeps the configuration').waitFor();
  await page.getByText('This is the active configuration.').waitFor();
  await page.getByRole('button', { name: 'Stop editing' }).click();
  await page.getByText('Nodes of this role with another configuration:').waitFor();
  await page.getByRole('button', { name: /^node01 \d+ lines?$/ }).click();
  await page.locator('.diff .added', { hasText: 'net.ipv4.ip_forward' }).waitFor();
});

const linesOf = (lines: readonly string[]) => lines.map((line) => line.trim()).filter((line) => line !== '');

test('what would happen is shown in the words of the command line, and then done', {
  ...options,
  timeout: 2 * rebootMs,
}, async () => {
  let shown: readonly string[] = [];
  let said: readonly string[] = [];
  // A node that answers too late is another answer, so both are asked again until they had the same ones.
  await eventually(
    async () => {
      const { stdout } = await cluster.talosctl('-n', 'node02,node03', 'reboot', '--dry-run');
      said = linesOf(stdout.split('\n')).filter((line) => line !== 'nothing was done');
      await go('#/what-if');
      await page.getByText('Choose the nodes.').waitFor();
      await page.getByLabel('node02').check();
      await page.getByLabel('node03').check();
      await page.getByText(/^etcd stops: /).waitFor();
      // The page names the voters, too.
      const lines = page.locator('.effect-lines:not([aria-label="Voters of etcd"]) li');
      shown = linesOf(await lines.allInnerTexts());
      return shown.join('\n') === said.join('\n');
    },
    {
      what: 'page with the words of the command line',
      timeoutMs: waitMs,
      explain: () => `${shown.join('\n')}\nis not\n${said.join('\n')}`,
    },
  );
  await page.getByText('etcd stops: 1 of 3 voters answer, and 2 must.').waitFor();

  await page.getByLabel('node03').uncheck();
  await page.getByText('etcd works: 2 of 3 voters answer, and 2 must.').waitFor();
  await page.getByRole('button', { name: 'Do it …' }).click();
  await page.getByRole('dialog').getByText('Continue?').waitFor();
  await page.getByRole('button', { name: 'No' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('log', { name: 'Started actions' }).count(), 0, 'nothing was started');

  await go('#/what-if?nodes=node04&action=reboot');
  await page.getByRole('button', { name: 'Do it …' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  const started = page.getByRole('log', { name: 'Started actions' });
  await started.locator('span', { hasText: /^done$/ }).waitFor({ timeout: rebootMs });
  await started.getByRole('link', { name: 'its events' }).click();
  await page.getByText(/^Only what/).waitFor();
});

test(
  'a trial that nobody ends runs out, and the node has its earlier configuration again',
  options,
  async () => {
    await go('#/cluster');
    await trialOf('node03').getByText('has its earlier configuration again').waitFor();
    const now = await configurationOf('node03');
    assert.equal(now.text, earlier?.text);
    assert.equal(now.version, (earlier?.version ?? 0) + 2, 'there and back again');
    await go('#/configuration?node=node03&edit=1');
    await editor('node03').getByText('ip_forward').waitFor();
    await trialOf('node03').getByRole('button', { name: 'Dismiss' }).click();
    await trialOf('node03').waitFor({ state: 'detached' });
  },
);

test('a reset asks for the name of the node', options, async () => {
  await go('#/what-if?nodes=node04&action=reset');
  await page.getByRole('button', { name: 'Do it …' }).click();
  const dialog = page.getByRole('dialog');
  const yes = dialog.getByRole('button', { name: 'Yes' });
  assert.equal(await yes.isDisabled(), true);
  await dialog.getByRole('textbox').fill('node03');
  assert.equal(await yes.isDisabled(), true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a command is one trace, which its line in the logs, its spans and the list show', options, async () => {
  await go('#/logs?logs=apid&level=debug&text=MachineService/Read');
  await page.getByText(/of \d+ lines/).waitFor();
  await cluster.talosctl('-n', 'node04', 'read', '/proc/sys/kernel/osrelease');
  await page.locator('.log-line', { hasText: 'MachineService/Read' }).last().click();
  await page.getByRole('link', { name: /^Trace [0-9a-f]{8}$/ }).click();
  const spans = page.getByRole('region', { name: 'Spans of the trace' });
  // The request passes through another node, so both gateways and machined have a part in it.
  await spans
    .getByRole('button', { name: /machined.*Read/ })
    .first()
    .click();
  await page.getByText('rpc.method').waitFor();
  await spans.getByRole('button', { name: /apid/ }).first().waitFor();

  await page.getByRole('link', { name: 'all traces' }).click();
  await page.getByRole('searchbox').fill('MachineService/Read');
  const traces = page.getByRole('region', { name: 'Traces' });
  await traces.getByRole('link', { name: 'machine.MachineService/Read' }).first().click();
  await spans.waitFor();
});

test('axe finds no fault in these views, light or dark', options, async () => {
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await go('#/configuration?node=node04&edit=1');
    await editor('node04').waitFor();
    await page.getByText('This is the active configuration.').waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], `editor, ${scheme}`);
    await go('#/traces?all=1');
    await page.getByText(/of \d+ traces/).waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], `traces, ${scheme}`);
    await page.locator('tbody a').first().click();
    await page.locator('.spans li').first().waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], `trace, ${scheme}`);
    await go('#/what-if?nodes=node01,node02,node03&action=shutdown');
    await page.getByText(/^etcd stops/).waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], `what if, ${scheme}`);
    await page.getByRole('button', { name: 'Do it …' }).click();
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], `question, ${scheme}`);
    await page.keyboard.press('Escape');
  }
});

test('nothing went wrong in the page, and it asked no other host', options, () => {
  // The console reports the text with faults that was not sent to the node.
  const others = opened.errors.filter((text) => !text.startsWith('Failed to load resource'));
  assert.deepEqual([others, opened.foreign], [[], []]);
});
