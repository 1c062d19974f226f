// What can happen to the upgrade of a whole cluster, each by its name. docs/concepts has the same names, with what people see.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { drainNode, openKubeNodes } from '@nodewright/client/kube-nodes';
import { createMemoryApiServer, objectMaker } from '@nodewright/client/kube-nodes/testing';
import { Fault } from '@nodewright/fault';
import { checkout } from '../cluster/run-talosctl.ts';
import { ScenarioCluster, type ScenarioNode } from './scenario-cluster.ts';

const page = readFileSync(join(checkout, 'docs/concepts/09-when-an-upgrade-meets-trouble.md'), 'utf8');
const never = new AbortController().signal;
const five = { controlPlanes: 3, workers: 2 };

/** The output that the page shows below a title. Its `…` stands for lines that are left out. */
function shownUnder(title: string): readonly string[] {
  const [, text = ''] = new RegExp(`^### ${title}\\n.*?^\`\`\`text\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  return text.trimEnd().split('\n');
}

/** Compares what has happened with the output on the page. */
function assertShown(title: string, lines: readonly string[]): void {
  const all = lines.join('\n');
  const parts = shownUnder(title).join('\n').split('\n…\n');
  let from = 0;
  for (const part of parts) {
    const at = all.indexOf(part, from);
    assert.ok(part !== '' && at >= 0, `the page does not show what was printed:\n${all}`);
    from = at + part.length;
  }
}

/** Lets a node drain as it does, from an API server that has these objects. */
async function withPods(node: ScenarioNode, cluster: ScenarioCluster, budget: boolean): Promise<void> {
  const { api } = createMemoryApiServer();
  const make = objectMaker(() => api);
  const labels = { app: 'web' };
  await make.node(node.name);
  await make.pod('web', node.name, { labels });
  if (budget) await make.budget('web', labels, 1);
  node.change = {
    drain: (signal) =>
      drainNode({
        ...{ node: node.name, nodes: openKubeNodes({ api, signal }), timers: cluster.timers, signal },
        report: () => {},
      }),
  };
}

test('a drain that never ends', async () => {
  await using cluster = new ScenarioCluster(five);
  await withPods(cluster.node('node04'), cluster, false);
  await cluster.begin();
  await cluster.untilStatus(({ phase }) => phase === 'stopped');
  assertShown('A drain that never ends', cluster.lines);
  assert.equal(cluster.slots(), 'BBBAA');
  assert.equal(cluster.node('node04').machine.isCordoned, false);
});

test('a pod disruption budget of zero', async () => {
  await using cluster = new ScenarioCluster(five);
  await withPods(cluster.node('node05'), cluster, true);
  await cluster.begin();
  await cluster.untilStatus(({ phase }) => phase === 'stopped');
  assertShown('A pod disruption budget of zero', cluster.lines);
  assert.equal(cluster.slots(), 'BBBBA');
});

test('an installer that stops in the middle', async () => {
  await using cluster = new ScenarioCluster(five);
  const node = cluster.node('node02');
  let writes = 0;
  const { machine } = node;
  node.change = {
    upgrades: {
      disarm: async () => machine.disarm(),
      async upgrade() {
        writes += 1;
        // It never ends by itself.
        if (writes === 1) await new Promise(() => {});
        machine.status = { ...machine.status, trial: 'B' };
      },
    },
  };
  await cluster.begin();
  await cluster.until(() => writes === 1);
  cluster.cutPower(node);
  await cluster.untilStatus(({ isSettled }) => isSettled);
  assertShown('An installer that stops in the middle', cluster.lines);
  assert.deepEqual([(await cluster.status()).phase, cluster.slots(), writes], ['done', 'BBBBB', 2]);
});

test('a client that is killed', async () => {
  await using cluster = new ScenarioCluster(five);
  await cluster.begin();
  const client = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const plan of cluster.rollouts.watch(client.signal)) seen.push(plan?.phase ?? '');
  })();
  await cluster.untilStatus(({ nodes }) => nodes.some(({ state }) => state === 'done'));
  client.abort();
  await following.catch(() => {});
  const before = seen.length;
  await cluster.untilStatus(({ isSettled }) => isSettled);
  assert.ok(before > 0);
  assert.equal(seen.length, before, 'the client sees nothing any more');
  assertShown('A client that is killed', cluster.lines);
  assert.deepEqual([(await cluster.status()).phase, cluster.slots()], ['done', 'BBBBB']);
});

test('two operators at once', async () => {
  await using cluster = new ScenarioCluster(five);
  await cluster.until(() => cluster.nodes.every(({ run }) => run !== undefined));
  const wanted = (version: string) => ({
    ...{ image: `registry.test/installer:${version}`, allowsDowngrade: false, dropsExtensions: false },
    ...{ maxUnavailable: 1, pauseAfter: 0 },
  });
  const results = await Promise.allSettled(
    ['v1.14.6', 'v1.14.7'].map((version) => cluster.rollouts.start(wanted(version), never)),
  );
  const refusals = results.flatMap((result) =>
    result.status === 'rejected' ? [String(result.reason.message)] : [],
  );
  assert.equal(refusals.length, 1);
  await cluster.untilStatus(({ nodes }) => nodes.some(({ state }) => state === 'acting'));
  const third = await cluster.rollouts.start(wanted('v1.14.8'), never).then(
    () => assert.fail('two roll-outs run'),
    (error: Fault) => error.message,
  );
  assertShown('Two operators at once', [...refusals, third]);
  await cluster.untilStatus(({ isSettled }) => isSettled);
  assert.deepEqual([(await cluster.status()).phase, cluster.slots()], ['done', 'BBBBB']);
});

test('a member that is behind', async () => {
  await using cluster = new ScenarioCluster(five);
  await cluster.begin();
  const node = cluster.node('node01');
  await cluster.untilStatus(({ nodes }) => nodes[0]?.state === 'acting');
  // A member that has to catch up answers no read that needs a quorum.
  node.memberFailure = 'etcd at 10.0.0.1:2379 did not answer within 4000 ms';
  await cluster.until(() => node.machine.status.slot === 'B' && node.machine.status.mode === 'confirmed');
  const untilMs = cluster.timers.now() + 300_000;
  await cluster.until(() => cluster.timers.now() >= untilMs);
  assert.equal(cluster.slots(), 'BAAAA');
  assertShown('A member that is behind', cluster.lines);
  node.memberFailure = undefined;
  await cluster.untilStatus(({ isSettled }) => isSettled);
  assert.deepEqual([(await cluster.status()).phase, cluster.slots()], ['done', 'BBBBB']);
});

test('a disk that is full on the third node of five', async () => {
  await using cluster = new ScenarioCluster(five);
  const node = cluster.node('node03');
  node.pull = async () => {
    throw new Fault(
      'resource-exhausted',
      'no room for the artefact: it needs 23592960 bytes beside 134217728 that stay free, and there are 1048576',
    );
  };
  await cluster.begin();
  await cluster.untilStatus(({ waitsFor }) => waitsFor.includes('no room'));
  assert.deepEqual(
    [cluster.slots(), node.machine.isCordoned, node.machine.counts.writes],
    ['BBAAA', false, 0],
  );
  // Somebody makes room.
  node.pull = async (image) => image;
  await cluster.untilStatus(({ isSettled }) => isSettled);
  assertShown('A disk that is full on the third node of five', cluster.lines);
  assert.deepEqual([(await cluster.status()).phase, cluster.slots()], ['done', 'BBBBB']);
});

test('a worker that is down before its turn', async () => {
  await using cluster = new ScenarioCluster(five);
  await cluster.begin();
  const worker = cluster.node('node05');
  const untilMs = cluster.timers.now() + 600_000;
  await cluster.until(() => {
    cluster.cutPower(worker);
    return cluster.timers.now() >= untilMs;
  });
  assert.equal(cluster.slots(), 'AAAAA');
  // Its power is back.
  await cluster.untilStatus(({ isSettled }) => isSettled);
  assertShown('A worker that is down before its turn', cluster.lines);
  assert.deepEqual([(await cluster.status()).phase, cluster.slots()], ['done', 'BBBBB']);
});

test('a new system that is never ready', async () => {
  await using cluster = new ScenarioCluster(five);
  const { machine } = cluster.node('node02');
  machine.fate = 'never ready';
  await cluster.begin();
  await cluster.untilStatus(({ phase }) => phase === 'stopped');
  assertShown('A new system that is never ready', cluster.lines);
  assert.equal(cluster.slots(), 'BAAAA');
  assert.equal(machine.status.mode, 'confirmed');
});
