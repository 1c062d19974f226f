// Nodes of processes are rebooted, shut down and reset with the command line, as a user does it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { openProcessCluster, type ProcessCluster, type ProcessNode } from './process-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
let worker: ProcessNode;
before(async () => {
  cluster = scope.use(await openProcessCluster({ controlPlanes: 1, workers: 1 }));
  worker = cluster.workers[0] as ProcessNode;
});
after(() => scope.disposeAsync());

const stateOf = ({ root }: ProcessNode) => join(root, 'system', 'state');
async function done(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await cluster.talosctl(...words, '--timeout', '2m');
  assert.equal(exitCode, 0, `${words.join(' ')}: ${stdout}${stderr}`);
  return stderr;
}

async function shown({ name }: ProcessNode) {
  const node = (await cluster.show()).nodes.find((view) => view.name === name);
  assert.ok(node !== undefined);
  return node;
}

test('an operator may reboot a node although the role may not read the boot id', async () => {
  const before = await shown(worker);
  using client = await cluster.client({ roles: ['os:operator'] });
  const { messages } = await client.node(worker.name).machine.reboot({ mode: 2 });
  assert.equal(messages.length, 1);
  const isAnew = async () => {
    const { state, pid } = await shown(worker);
    return state === 'running' && pid !== before.pid;
  };
  await eventually(isAnew, { what: 'node that has rebooted', timeoutMs: 40_000 });
  const answers = async () => (await client.node(worker.name).machine.version({})).messages.length === 1;
  await eventually(answers, { what: 'answer of the node', timeoutMs: 40_000 });
  const { restarts, lastExit } = await shown(worker);
  assert.deepEqual([restarts, lastExit], [0, 'reboot'], 'a reboot is no death');
});

test('a node that was shut down stays off until the cluster is started again', async () => {
  await done('-n', worker.name, 'shutdown');
  const isOff = async () => (await shown(worker)).state === 'off';
  await eventually(isOff, { what: 'node that is off', timeoutMs: 40_000 });
  assert.equal(await worker.instanceOf('apid'), undefined);
  const words = ['cluster', 'create', '--name', cluster.name, '--if-absent', '--provisioner', 'process'];
  const again = await cluster.talosctl(...words, '--controlplanes', '1', '--workers', '1');
  assert.equal(again.exitCode, 0, again.stderr);
  assert.ok(again.stderr.includes(`starting the stopped nodes: ${worker.name}\n`), again.stderr);
  assert.equal((await shown(worker)).state, 'running');
});

test('a node that was reset has lost its identity and its data, and joins again with a configuration', async () => {
  const config = await readFile(join(stateOf(worker), 'config.yaml'), 'utf8');
  const identity = await readFile(join(stateOf(worker), 'node-identity.yaml'), 'utf8');
  await writeFile(join(worker.root, 'var', 'mine'), 'data');
  await done('-n', worker.name, 'reset', '--reboot');
  assert.equal(existsSync(join(stateOf(worker), 'config.yaml')), false);
  assert.equal(existsSync(join(worker.root, 'var', 'mine')), false);

  const folder = await mkdtemp(join(tmpdir(), 'machine-ends-'));
  scope.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'config.yaml');
  await writeFile(file, config);
  const applied = await cluster.talosctl('apply-config', '-i', '-n', worker.address, '-f', file);
  assert.equal(applied.exitCode, 0, applied.stderr);
  const runs = async () =>
    / running +true/.test((await cluster.talosctl('-n', worker.name, 'get', 'machinestatus')).stdout);
  await eventually(runs, { what: 'node that has joined again', timeoutMs: 60_000 });
  assert.notEqual(await readFile(join(stateOf(worker), 'node-identity.yaml'), 'utf8'), identity);
});
