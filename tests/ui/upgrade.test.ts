// What the page shows of the upgrade of all nodes: each state of the plan, by a test in the place of the nodes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Reach } from '../../cli/talosctl/src/ui/protocol/messages.ts';
import type { RolloutPlan, RolloutTurn } from '../../cli/talosctl/src/ui/protocol/rollout.ts';
import { accessibilityFaults, noBrowser, openChromium } from './browser.ts';
import { openPage } from './opened-page.ts';
import { ScriptedPage } from './scripted-page.ts';

const names = ['node01', 'node02', 'node03', 'node04', 'node05'];
const stepNames = ['quorum', 'turn', 'cordon', 'drain', 'write', 'reboot', 'check', 'confirm', 'uncordon'];
const action = `upgrade to registry.test/installer:v1.14.6@sha256:${'3f'.repeat(32)}`;
const stepsAt = (current: string, state = 'running', reason = '') =>
  stepNames.map((name) => {
    const distance = stepNames.indexOf(name) - stepNames.indexOf(current);
    const other = distance < 0 ? 'done' : 'pending';
    return { name, state: distance === 0 ? state : other, reason: distance === 0 ? reason : '' };
  });

/** A plan of which the first nodes are done, and the next one is as given. */
function planOf(done: number, next: Partial<RolloutTurn>, rest: Partial<RolloutPlan> = {}): RolloutPlan {
  const turns = names.map((name, at): RolloutTurn => {
    const role = at < 3 ? 'control plane' : 'worker';
    const own = at < done ? { state: 'done' } : at === done ? next : { state: 'waiting' };
    return { name, role, attempt: 1, state: 'waiting', reason: '', spentMs: 0, steps: [], ...own };
  });
  return {
    ...{ id: '5e'.repeat(16), action, phase: 'running', reason: '', waitsFor: '', isSettled: false },
    ...{ maxUnavailable: 1, pauseAfter: 0, driver: 'node01', startedMs: Date.now() - 90_000 },
    ...{ turns, nodeCount: turns.length, ...rest },
  };
}

const restarting = () =>
  planOf(
    1,
    { state: 'acting', spentMs: 41_000, steps: stepsAt('reboot') },
    { waitsFor: 'node02 is acting: the node restarts' },
  );
const why = 'the node is back on the system before: not ready within 10 minutes';
const stopped = () =>
  planOf(
    1,
    { state: 'failed', reason: why, steps: stepsAt('confirm', 'failed', why) },
    { phase: 'stopped', reason: `node02: ${why}`, isSettled: true, driver: '' },
  );
const done = () => planOf(5, {}, { phase: 'done', isSettled: true, driver: '' });

const scope = new AsyncDisposableStack();
let browser: Browser;
let script: ScriptedPage;
let page: Page;
let errors: readonly string[];

before(async () => {
  if (noBrowser) return;
  browser = await openChromium();
  scope.defer(() => browser.close());
  script = scope.use(await ScriptedPage.open(names));
  ({ page, errors } = await openPage(browser, script.link));
  if (process.env.WAIT !== undefined) page.setDefaultTimeout(Number(process.env.WAIT));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
});
after(() => scope.disposeAsync());

const options = { skip: noBrowser };
const here: Reach = { kind: 'here' };
const go = (view: string) => page.goto(new URL(`#/${view}`, script.server.address).href);
const panel = (): Locator =>
  page.getByRole('region', { name: 'Upgrade of all nodes' }).or(page.locator('.rollout'));
const turn = (name: string) => page.locator('.turns > li', { has: page.getByText(name, { exact: true }) });

const word = (name: string, text: string) => turn(name).locator('.turn-state strong', { hasText: text });

/** Every node answers, and the checks pass. */
function well(): void {
  script.reach(Object.fromEntries(names.map((name) => [name, here])));
  script.health([{ name: 'all nodes to answer', state: 'passed', sinceMs: Date.now() }]);
}

/** All parts show one number, and none says well beside a node that is away. */
async function assertOneSnapshot(): Promise<void> {
  const said = await page.evaluate<{ numbers: string[]; texts: string[] }>(`(() => {
    const parts = [...document.querySelectorAll('[data-snapshot]')];
    const dots = [...document.querySelectorAll('[data-snapshot] .dot')].map((dot) => dot.getAttribute('aria-label'));
    return {
      numbers: [...new Set(parts.map(({ dataset }) => dataset.snapshot))],
      texts: [...parts.map(({ innerText }) => innerText), ...dots],
    };
  })()`);
  assert.equal(said.numbers.length, 1, said.numbers.join());
  if ((await page.locator('.node-card .away').count()) > 0)
    for (const text of said.texts) assert.doesNotMatch(text, /(?<!not )\b(well|healthy)\b/);
}

async function assertAccessible(what: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await accessibilityFaults(page), [], `${what}, ${colorScheme}`);
  }
}

test('a cluster without a roll-out says so, and the overview has no card of it', options, async () => {
  well();
  await page.locator('.cluster-state', { hasText: 'all is well' }).waitFor();
  assert.equal(await page.locator('.rollout').count(), 0);
  script.rollout({ plan: null });
  await go('upgrade');
  await page.getByText('no upgrade of all nodes has begun yet').waitFor();
  await page.getByText(/^talosctl --context test upgrade --all .*--dry-run$/).waitFor();
  await assertAccessible('no roll-out');
});

test(
  'a node that restarts in its turn is said to, with its steps, in all parts of one snapshot',
  options,
  async () => {
    await go('cluster');
    script.rollout({ plan: restarting() });
    await panel().getByText('upgrade: 1 of 5 nodes done').waitFor();
    await word('node02', 'restarts').waitFor();
    // Of the others the overview shows none.
    assert.equal(await page.locator('.turns > li').count(), 1);
    const sinceMs = Date.now();
    script.reach({ node02: { kind: 'away', sinceMs, message: 'connection refused', hop: 'apid' } });
    await page.locator('.cluster-state.warning', { hasText: 'node02 restarts for its upgrade' }).waitFor();
    const card = page.locator('.node-card.warning', { has: page.getByRole('link', { name: 'node02' }) });
    await card.getByText(/^restarts for its upgrade, away since \d\d:/).waitFor();
    assert.equal(await page.locator('.node-card.bad').count(), 0);
    await page.locator('.tile.warning', { hasText: '4 of 5' }).waitFor();
    await assertOneSnapshot();
    await assertAccessible('overview while a node restarts');
    await go('node/node02');
    await page.getByText(/^The node restarts for its upgrade\. Away since /).waitFor();
    await go('health');
    await page.getByRole('region', { name: 'Outages seen' }).getByText('restarted for its upgrade').waitFor();
    await assertOneSnapshot();
  },
);

test('a node that dies without a turn is a fault also beside one that restarts', options, async () => {
  await go('cluster');
  script.reach({ node03: { kind: 'away', sinceMs: Date.now(), message: 'connection refused' } });
  await page.locator('.cluster-state.bad', { hasText: '1 node away: node03; node02 restarts' }).waitFor();
  await page.locator('.node-card.bad', { has: page.getByRole('link', { name: 'node03' }) }).waitFor();
  await assertOneSnapshot();
  well();
  await page.locator('.cluster-state.good', { hasText: 'all is well; upgrade: 1 of 5 nodes done' }).waitFor();
});

test('the view has all nodes with their steps, the driver, the limits and the age', options, async () => {
  await go('cluster');
  // By its key alone.
  await page.locator('main').focus();
  await page.keyboard.press('u');
  await page.getByRole('heading', { name: 'Upgrade', exact: true }).waitFor();
  assert.deepEqual(await page.locator('.turn-state strong').allTextContents(), [
    'done',
    'restarts',
    'waiting',
    'waiting',
    'waiting',
  ]);
  assert.deepEqual(
    await turn('node02')
      .locator('.stages li')
      .evaluateAll((stages) => stages.map((each) => each.className)),
    [...['done', 'done', 'done', 'running', 'pending', 'pending']],
  );
  const facts = page.locator('.facts');
  await facts.getByText(action).waitFor();
  await facts.getByText('node01', { exact: true }).waitFor();
  await facts.getByText('at most 1 unavailable').waitFor();
  await facts.getByText(/, \d+m( \d+s)? ago$/).waitFor();
  await page.getByText('Waits for: node02 is acting: the node restarts').waitFor();
  await assertOneSnapshot();
  await assertAccessible('upgrade that runs');
});

test('a plan that stopped is among the troubles, with its reason and commands to copy', options, async () => {
  script.rollout({ plan: stopped() });
  for (const view of ['cluster', 'health', 'upgrade']) {
    await go(view);
    await page
      .locator('.cluster-state.bad', { hasText: `the upgrade has stopped: node02: ${why}` })
      .waitFor();
    await word('node02', 'rolled back').waitFor();
    await page.getByText('talosctl --context test upgrade abort').waitFor();
    await assertOneSnapshot();
    await assertAccessible(`${view} with a plan that stopped`);
  }
  const before = script.requests.length;
  const copy = page.getByRole('button', { name: 'Copy: talosctl --context test upgrade resume' });
  await copy.focus();
  await page.keyboard.press('Enter');
  await page.getByText('copied').waitFor();
  assert.equal(
    await page.evaluate('navigator.clipboard.readText()'),
    'talosctl --context test upgrade resume',
  );
  assert.equal(script.requests.length, before, 'the page asks for no change');
});

test('a plan that is done is shown for a while, and the view keeps it', options, async () => {
  await go('cluster');
  script.rollout({ plan: done(), endedMs: Date.now() });
  await panel().getByText('the upgrade is done: 5 of 5 nodes done').waitFor();
  await page.locator('.cluster-state.good', { hasText: 'all is well' }).waitFor();
  await assertAccessible('overview with a plan that is done');
  script.rollout({ plan: done(), endedMs: Date.now() - 3_600_000 });
  await panel().first().waitFor({ state: 'detached' });
  await go('upgrade');
  await page.getByText('the upgrade is done: 5 of 5 nodes done').waitFor();
  assert.equal(await page.locator('.stages li.done').count(), 30);
});

test(
  'what is not known now, what nobody may read, and what nodes do not have is said plainly',
  options,
  async () => {
    await go('upgrade');
    // Results of checks that are old would be what the cluster's line tells.
    well();
    const sinceMs = Date.now();
    script.rollout({
      plan: restarting(),
      problem: { kind: 'silent', message: 'no route to node01', sinceMs },
    });
    await page
      .getByText(/^No control plane has told the state for \d+s: no route to node01\. What follows/)
      .waitFor();
    await page
      .locator('.cluster-state.unknown', { hasText: 'the state of the upgrade is not known now' })
      .waitFor();
    script.rollout({ problem: { kind: 'forbidden', message: 'not authorized', sinceMs } });
    await page.getByText('You may not read the upgrade of all nodes: not authorized').waitFor();
    well();
    await page.locator('.cluster-state.good').waitFor();
    script.rollout({ problem: { kind: 'unsupported', message: 'unknown service', sinceMs } });
    await page.getByText(/^These nodes have no upgrade of all nodes as one plan/).waitFor();
    assert.equal(await page.locator('.rollout-commands').count(), 0);
    await assertAccessible('nodes without the call');
  },
);

test('on a phone nothing is cut off, and steps wrap', options, async () => {
  await page.setViewportSize({ width: 390, height: 780 });
  script.rollout({ plan: stopped() });
  for (const view of ['cluster', 'upgrade']) {
    await go(view);
    await word('node02', 'rolled back').waitFor();
    const wider = await page.evaluate<string[]>(`[...document.querySelectorAll('.rollout, .rollout *, main')]
      .filter((part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.matches('.unseen'))
      .map(({ className, tagName }) => tagName + '.' + className)`);
    assert.deepEqual(wider, [], view);
    await assertAccessible(`${view} on a phone`);
  }
});

test('nothing went wrong in the page', options, () => assert.deepEqual(errors, []));
