// One command upgrades a cluster of three control planes and two workers, all processes, while clients use it. What happens to a cluster
// that is upgraded: the client leaves, a second operator comes, the driver is killed, and one node's new system never gets ready.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { EtcdClient } from '@nodewright/etcd';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { rolloutDriverName } from '@nodewright/rollout';
import { eventually } from '@nodewright/testkit';
import { openEtcd } from '../../cluster/process/etcd-cluster.ts';
import type { ProcessCluster } from '../../cluster/process/process-cluster.ts';
import { awaitWell } from '../await-well.ts';
import { openUpgradable } from '../open-upgradable.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const long = { skip, timeout: 1_500_000 } as const;
/** Beside other work a node takes minutes to restart. */
const timeoutMs = 600_000;
const good = 'registry.test/installer:v1.14.6';
const broken = 'broken.test/installer:v1.14.7';
const names = ['node01', 'node02', 'node03', 'node04', 'node05'];
let cluster: ProcessCluster;

before(async () => {
  if (skip) return;
  // The machined of node02 ends before it does anything.
  const prologue =
    "if (JSON.stringify([process.argv, process.cwd()]).includes('nodes/node02')) process.exit(7);\n";
  cluster = await openUpgradable(
    scope,
    { controlPlanes: 3, workers: 2 },
    { 'registry.test': { version: 'v1.14.6' }, 'broken.test': { version: 'v1.14.7', prologue } },
  );
});

interface Status {
  readonly id: string;
  readonly phase: string;
  readonly reason: string;
  readonly waitsFor: string;
  readonly nodes: readonly { readonly name: string; readonly state: string; readonly reason: string }[];
}

async function status(): Promise<Status | undefined> {
  const { exitCode, stdout } = await cluster.talosctl('upgrade', 'status', '-o', 'json');
  return exitCode === 0 ? ((JSON.parse(stdout) as Status | null) ?? undefined) : undefined;
}

/** The version of the system of each node. */
async function versions(): Promise<Record<string, string>> {
  using client = await cluster.client({ nodes: names });
  const found: Record<string, string> = {};
  for await (const { node, value } of client.fanOut((each, signal) => each.machine.version({}, { signal })))
    found[node] = value?.messages[0]?.version?.tag ?? 'does not answer';
  return found;
}

const all = (version: string, change: Record<string, string> = {}) => ({
  ...Object.fromEntries(names.map((name) => [name, version])),
  ...change,
});

/** Writes to etcd until the signal aborts. @returns the keys whose writes etcd has acknowledged */
async function write(etcd: EtcdClient, signal: AbortSignal): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let count = 0; !signal.aborted; count += 1) {
    const key = `test/${count}`;
    const isDone = await etcd.put(key, Buffer.from(key), { timeoutMs: 3000 }).then(
      () => true,
      () => false,
    );
    if (isDone) acknowledged.push(key);
    await pause(50);
  }
  return acknowledged;
}

/** Beside other work an answer takes seconds. */
const answerMs = 15_000;

/** Asks the API through each endpoint until the signal aborts. @returns how often, and how often no endpoint answered */
async function ask(signal: AbortSignal) {
  const counts = { rounds: 0, silent: 0, answers: {} as Record<string, number> };
  while (!signal.aborted) {
    const answers = await Promise.all(
      cluster.controlPlanes.map(async ({ address }) => {
        using client = await cluster.client({ endpoints: [address], nodes: [] });
        const limit = AbortSignal.timeout(answerMs);
        const isAnswered = await client
          .firstEndpoint()
          .machine.version({}, { signal: limit })
          .then(
            () => true,
            () => false,
          );
        if (isAnswered) counts.answers[address] = (counts.answers[address] ?? 0) + 1;
        return isAnswered;
      }),
    );
    counts.rounds += 1;
    if (!answers.includes(true)) counts.silent += 1;
    await pause(500);
  }
  return counts;
}

test(
  'one command upgrades five nodes while clients use them, and goes on when its driver is killed',
  long,
  async (t) => {
    await awaitWell(cluster, good);
    const dry = await cluster.talosctl('upgrade', '--all', '--image', good, '--dry-run');
    assert.equal(dry.exitCode, 0, dry.stderr);
    assert.match(dry.stdout, /node01 +control-plane +upgrade to registry\.test.*node05 +worker/s);
    assert.equal(await status(), undefined);

    await using etcd = await openEtcd(cluster.controlPlanes);
    const over = new AbortController();
    const writing = write(etcd, over.signal);
    const asking = ask(over.signal);
    const beganMs = performance.now();
    const running = cluster.talosctl('upgrade', '--all', '--image', good, '--yes', '-o', 'json');

    let seen: Status | undefined;
    const explain = () => JSON.stringify(seen);
    const awaitStatus = (what: string, isSo: (now: Status) => boolean) =>
      eventually(
        async () => {
          seen = await status();
          return seen !== undefined && (isSo(seen) || seen.phase !== 'running');
        },
        { what, timeoutMs, explain },
      );
    await awaitStatus('the first node to act', ({ nodes }) => nodes.some(({ state }) => state === 'acting'));
    const second = await cluster.talosctl('upgrade', '--all', '--image', good, '--yes');
    assert.match(second.stderr, /another roll-out is running .*talosctl upgrade abort/);
    const single = await cluster.talosctl('-n', 'node05', 'upgrade', '-i', good, '--drain=false', '--yes');
    assert.match(
      single.stderr,
      new RegExp(`the roll-out ${seen?.id} upgrades all nodes: .*talosctl upgrade abort`),
    );

    await awaitStatus('a worker to act', ({ nodes }) =>
      nodes.some(({ name, state }) => /node0[45]/.test(name) && state === 'acting'),
    );
    const { keyValues } = await etcd.list(`${rolloutDriverName}/`);
    const [first] = [...keyValues].sort((a, b) => Number(a.createRevision - b.createRevision));
    const driver = cluster.controlPlanes.find(
      ({ name }) => name === Buffer.from(first?.value ?? []).toString(),
    );
    assert.ok(driver !== undefined, 'a control plane drives the roll-out');
    t.diagnostic(`${driver.name} drives, and is killed: ${explain()}`);
    await driver.signal('machined', 'SIGKILL');

    const { exitCode, stdout, stderr } = await running;
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    over.abort();
    const [acknowledged, counts] = await Promise.all([writing, asking]);
    t.diagnostic(`${seconds} s; ${acknowledged.length} writes; ${JSON.stringify(counts)}`);
    assert.equal(exitCode, 0, `${stdout}\n${stderr}`);
    const last = JSON.parse(stdout) as Status;
    assert.deepEqual([last.phase, last.nodes.map(({ state }) => state)], ['done', names.map(() => 'done')]);
    let found: Record<string, string> = {};
    await eventually(
      async () => {
        found = await versions();
        return JSON.stringify(found, names) === JSON.stringify(all('v1.14.6'), names);
      },
      { what: 'the new version on all nodes', timeoutMs, explain: () => JSON.stringify(found) },
    );
    assert.ok(acknowledged.length > 100, `${acknowledged.length} writes`);
    const kept = new Set((await etcd.list('test/')).keyValues.map(({ key }) => key));
    assert.deepEqual(
      acknowledged.filter((key) => !kept.has(key)),
      [],
      'no acknowledged write is lost',
    );
    assert.equal(counts.silent, 0, 'an endpoint answers at any time');
  },
);

test(
  'a node whose new system does not come up is back on the old one, and the plan stops there',
  long,
  async () => {
    const paused = await cluster.talosctl(
      'upgrade',
      '--all',
      '--image',
      broken,
      '--pause-after',
      '1',
      '--yes',
    );
    assert.equal(paused.exitCode, 0, paused.stderr);
    assert.match(paused.stdout, /is paused \(1 of 5 nodes are done\)/);
    assert.match(paused.stderr, /"talosctl upgrade resume" goes on/);
    assert.deepEqual(await versions(), all('v1.14.6', { node01: 'v1.14.7' }));

    const resumed = await cluster.talosctl('upgrade', 'resume');
    assert.equal(resumed.exitCode, 0, resumed.stderr);
    const watched = await cluster.talosctl('upgrade', 'status', '--watch');
    assert.equal(watched.exitCode, 0, watched.stderr);
    assert.match(watched.stdout, /the roll-out is stopped: node02: the node is back on the system before/);
    assert.match(watched.stderr, /mend the node, then "talosctl upgrade resume"/);
    await pause(10_000);
    const now = await status();
    assert.deepEqual(
      now?.nodes.map(({ state }) => state),
      ['done', 'failed', 'waiting', 'waiting', 'waiting'],
    );
    assert.deepEqual(await versions(), all('v1.14.6', { node01: 'v1.14.7' }));
    const aborted = await cluster.talosctl('upgrade', 'abort');
    assert.equal(aborted.exitCode, 0, aborted.stderr);
    assert.equal((await status())?.phase, 'aborted');
  },
);
