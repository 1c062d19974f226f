// The control planes of a cluster whose nodes are one container each share an address. The time until it moved is printed, and no test
// asserts it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import type { Cluster, Node } from '../cluster/cluster.ts';
import { openNodeImageCluster } from '../cluster/docker/node-image-cluster.ts';
import { reasonToSkip } from '../node-image/reason-to-skip.ts';

const skip = await reasonToSkip();
const timeoutMs = 120_000;
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
let cluster: Cluster;
let ip = '';

before(async () => {
  if (skip) return;
  cluster = scope.use(await openNodeImageCluster({ controlPlanes: 3, workers: 0 }));
  ip = (cluster.nodes[0]?.address ?? '').replace(/\d+$/, '250');
  const patch = JSON.stringify({ apiVersion: 'v1alpha1', kind: 'Layer2VIPConfig', name: ip, link: 'eth0' });
  const nodes = cluster.nodes.map(({ address }) => address).join();
  const { exitCode, stderr } = await cluster.talosctl('-n', nodes, 'patch', 'mc', '--patch', patch);
  assert.equal(exitCode, 0, stderr);
});

/** The nodes that have the address, without those that do not answer. */
async function owners(): Promise<Node[]> {
  const have = await Promise.all(
    cluster.nodes.map(async ({ address }) => {
      const words = ['-e', address, '-n', address, 'get', 'addresses'];
      return (await cluster.talosctl(...words)).stdout.includes(`eth0/${ip}/32`);
    }),
  );
  return cluster.nodes.filter((_, index) => have[index] === true);
}

async function nextOwner(previous?: Node): Promise<Node> {
  let latest: Node[] = [];
  await eventually(
    async () => {
      latest = await owners();
      return latest.some((node) => node !== previous);
    },
    { what: `another owner of ${ip}`, timeoutMs, explain: () => latest.map(({ name }) => name).join() },
  );
  return latest.find((node) => node !== previous) ?? assert.fail();
}

/** Waits until the API answers on the address. It may move once more when the machine is busy. */
async function answers(): Promise<void> {
  let latest = '';
  await eventually(
    async () => {
      const { exitCode, stdout, stderr } = await cluster.talosctl('-e', ip, '-n', ip, 'version');
      latest = stdout + stderr;
      return exitCode === 0 && latest.includes(ip);
    },
    { what: `an answer on ${ip}`, timeoutMs, explain: () => latest },
  );
}

test('one control plane has the address, and the API answers on it', { skip }, async () => {
  const owner = await nextOwner();
  await answers();
  const { stdout: members } = await cluster.talosctl('-n', owner.address, 'get', 'members');
  assert.ok(!members.includes(ip), members);
});

for (const [what, signal] of [
  ['shuts down', 'SIGTERM'],
  ['is killed', 'SIGKILL'],
] as const)
  test(`the address moves when its owner ${what}`, { skip }, async () => {
    const owner = await nextOwner();
    const began = performance.now();
    await owner.signal('machined', signal);
    const next = await nextOwner(owner);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(
      `${what}: the address moved from ${owner.name} to ${next.name} after ${seconds} s\n`,
    );
    await answers();
  });
