// A worker that starts while trustd of its control plane does not answer: how its administrators reach it, and that it then joins.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { openProcessCluster, type ProcessCluster, type ProcessNode } from './process-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
let controlPlane: ProcessNode;
let worker: ProcessNode;
before(async () => {
  cluster = scope.use(await openProcessCluster({ controlPlanes: 1, workers: 1 }));
  [controlPlane, worker] = [cluster.controlPlanes[0] as ProcessNode, cluster.workers[0] as ProcessNode];
});
after(() => scope.disposeAsync());

const fingerprintShape = /[A-Za-z0-9+/]{43}=/;

/** The fingerprint of the server that answers, as the error of a wrong one shows it. */
async function fingerprintOf(node: ProcessNode): Promise<string | undefined> {
  const wrong = Buffer.alloc(32).toString('base64');
  const { stderr } = await cluster.talosctl('version', '-i', '-n', node.address, '--cert-fingerprint', wrong);
  return fingerprintShape.exec(stderr)?.[0];
}

test('a worker without trustd is read and patched by its administrator, tells strangers why, and joins later', async () => {
  const insecure = (...words: string[]) => cluster.talosctl(...words, '-i', '-n', worker.address);
  await controlPlane.signal('trustd', 'SIGSTOP');
  scope.defer(() => controlPlane.signal('trustd', 'SIGCONT'));
  await worker.signal('machined', 'SIGKILL');
  await eventually(async () => (await insecure('version')).exitCode === 0, {
    what: 'Version of a worker that waits',
    timeoutMs: 90_000,
  });

  const logs = await insecure('logs', 'machined');
  assert.equal(logs.exitCode, 1);
  assert.match(
    logs.stderr,
    /code = Unavailable desc = .*only Version: this worker waits for its certificate from trustd/,
  );
  const key = (await fingerprintOf(worker)) ?? assert.fail('the worker shows no fingerprint');
  const pinned = (...words: string[]) =>
    cluster.talosctl(...words, '-n', worker.address, '--cert-fingerprint', key);
  const status = await pinned('get', 'machinestatus');
  assert.match(status.stdout, /apid waits for its certificate|false/, status.stderr);
  const waits = await pinned('get', 'apiwaits');
  assert.match(waits.stdout, /trustd/, waits.stderr);
  const patch = 'machine: { nodeLabels: { waited: "yes" } }';
  const patched = await pinned('patch', 'machineconfig', '--patch', patch, '--mode', 'no-reboot');
  assert.equal(patched.exitCode, 0, patched.stderr);

  await controlPlane.signal('trustd', 'SIGCONT');
  const secure = () => cluster.talosctl('-e', worker.address, '-n', worker.address, 'get', 'machinestatus');
  await eventually(async () => / running +true/.test((await secure()).stdout), {
    what: 'the worker in its cluster',
    timeoutMs: 120_000,
  });
  assert.notEqual(await fingerprintOf(worker), key);
  const refused = await insecure('version');
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /it asks for a client certificate/);
});
