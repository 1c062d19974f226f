// Endpoints stop while a client with three endpoints makes calls.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TalosClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import type { Cluster, Node } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: Cluster;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 3, workers: 1 }));
});
after(() => scope.disposeAsync());

interface Failure {
  readonly node: string;
  readonly message: string;
}

/** Runs reads on all nodes, several at a time, until `during` has resolved. Returns the failures. */
async function readInLoop(client: TalosClient, during: () => Promise<void>): Promise<Failure[]> {
  const failures: Failure[] = [];
  let calls = 0;
  let goOn = true;
  const loop = async (node: Node) => {
    while (goOn) {
      calls += 1;
      await client
        .node(node.name)
        .machine.version({})
        .catch((error: Error) => failures.push({ node: node.name, message: error.message }));
      await sleep(5);
    }
  };
  const loops = [...cluster.nodes, ...cluster.nodes].map(loop);
  await during().finally(() => {
    goOn = false;
  });
  await Promise.all(loops);
  assert.ok(calls > 20, `only ${calls} calls`);
  return failures;
}

async function answers(client: TalosClient, node: Node): Promise<boolean> {
  await client.node(node.name).machine.version({});
  return true;
}

/** Kills apid of the node, and returns when the node answers again. */
async function restartApid(node: Node, client: TalosClient, signal: NodeJS.Signals): Promise<void> {
  const before = await node.instanceOf('apid');
  await sleep(200);
  await node.signal('apid', signal);
  await eventually(async () => ![undefined, before].includes(await node.instanceOf('apid')), {
    what: 'new apid',
  });
  await eventually(() => answers(client, node), { what: `answer of ${node.name}` });
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`${signal} to one of three apids: only calls to its own node fail, and their error names the hop`, async () => {
    const [, victim] = cluster.controlPlanes as [Node, Node];
    using client = await cluster.client();
    const failures = await readInLoop(client, () => restartApid(victim, client, signal));
    assert.deepEqual(
      failures.filter(({ node }) => node !== victim.name),
      [],
    );
    // Its apid is away for seconds, so calls to this node fail and name the hop.
    assert.ok(failures.length > 0);
    const hop = new RegExp(`${victim.name}|${victim.address}`);
    for (const { message } of failures) assert.match(message, hop);
  });
}

test('when apid is killed, a read in flight is retried by another endpoint, and a write never is', async () => {
  const [first, victim] = cluster.controlPlanes as [Node, Node];
  // The caller is a reader, so a retried write would be refused with another code and be noticed.
  using client = await cluster.client({ roles: ['os:reader'], endpoints: [victim.address, first.address] });
  // Both endpoints have to answer that they do not know this node, so both are connected then, and calls
  // alternate between them. Calls that succeed all use the endpoint that was connected first.
  await assert.rejects(client.node('unknown.test').machine.version({}), { kind: 'unavailable' });

  await victim.signal('apid', 'SIGSTOP');
  const target = client.node(first.name);
  // Two calls of each kind: one of them goes to the endpoint that hangs, whichever comes first.
  const reads = [target.machine.version({}), target.machine.version({})];
  const writes = [target.machine.reboot({}), target.machine.reboot({})];
  const settled = Promise.allSettled([...reads, ...writes]);
  // Wait until the calls have arrived.
  await sleep(1500);
  await victim.signal('apid', 'SIGKILL');

  const [readOne, readTwo, ...written] = await settled;
  assert.deepEqual([readOne?.status, readTwo?.status], ['fulfilled', 'fulfilled']);
  const outcomes = written.map((result) => {
    assert.ok(result.status === 'rejected' && result.reason instanceof Fault);
    return { kind: result.reason.kind, message: result.reason.message };
  });
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), ['permission-denied', 'unavailable']);
  const lost = outcomes.find(({ kind }) => kind === 'unavailable');
  assert.match(lost?.message ?? '', new RegExp(`${victim.address}.*may have been carried out`));
  await eventually(() => answers(client, victim), { what: `answer of ${victim.name}` });
});
