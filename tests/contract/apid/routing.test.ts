import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { reply } from './harness/backend.ts';
import { type CallResult, Client } from './harness/client.ts';
import { unframed } from './harness/messages.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());

const controlPlane = scope.use(
  await ApidUnderTest.start({ onOwnPort: true, machined: reply(Buffer.from('control plane')) }),
);
const peer = await controlPlane.peer('node02', reply(Buffer.from('node02')));
const admin = await controlPlane.client();

const worker = scope.use(await ApidUnderTest.start({ worker: true, machined: reply(Buffer.from('worker')) }));
const workerAdmin = await worker.client();

const state = '/cosi.resource.State/Get';
const memory = '/machine.MachineService/Memory';

/** Which backend answered, or the error of the refusal. */
function outcome({ code, message, body }: CallResult): string {
  if (code !== 0) return `${code}: ${message}`;
  return unframed(body).map(String).join('|');
}

const call = async (path: string, ...metadata: [string, string][]) =>
  outcome(await admin.call(path, { metadata }));
const callWorker = async (path: string, ...metadata: [string, string][]) =>
  outcome(await workerAdmin.call(path, { metadata }));

test('apid answers locally without metadata, for any method', async () => {
  assert.deepEqual(
    [await call(memory), await call(state), await call('/no.such.Service/Method')],
    ['control plane', 'control plane', 'control plane'],
  );
});

test("apid forwards a call with node, given as a member's name or as an address, for any method", async () => {
  assert.deepEqual(
    [
      await call(memory, ['node', 'node02']),
      await call(state, ['node', peer.address]),
      await call('/no.such.Service/Method', ['node', 'node02']),
    ],
    ['node02', 'node02', 'node02'],
  );
});

test('apid serves a call locally when it was already proxied', async () => {
  assert.deepEqual(
    [
      await call(memory, ['proxyfrom', 'somebody'], ['node', 'node02']),
      await call(state, ['proxyfrom', ''], ['nodes', 'node02']),
    ],
    ['control plane', 'control plane'],
  );
});

test('apid of a control plane also connects to itself, and then serves the call', async () => {
  const before = controlPlane.machined.calls.length;
  assert.equal(await call(memory, ['node', controlPlane.host]), 'control plane');
  const [received] = controlPlane.machined.calls.slice(before);
  assert.deepEqual(received?.values('proxyfrom'), ['gateway.test']);
});

test('apid refuses node with two values', async () => {
  assert.equal(
    await call(memory, ['node', 'node01'], ['node', 'node02']),
    '3: node metadata must be single-valued',
  );
});

test('apid refuses nodes for services that are not aggregated', async () => {
  assert.equal(
    await call(state, ['nodes', 'node02']),
    '3: one-2-many proxying is not supported for method /cosi.resource.State/Get',
  );
});

test('apid refuses targets that are empty or carry a port', async () => {
  assert.deepEqual(
    [
      await call(memory, ['node', '']),
      await call(memory, ['node', ' node02']),
      await call(memory, ['node', 'node02:50000']),
      await call(memory, ['nodes', 'node02'], ['nodes', '127.0.0.1:1']),
    ],
    [
      '13: invalid target ""',
      '13: invalid target " node02"',
      '13: invalid target "node02:50000"',
      '13: invalid target "127.0.0.1:1"',
    ],
  );
});

test('apid reports an unknown node by name', async () => {
  // A label of 64 letters is invalid, so no resolver is queried.
  const name = `${'x'.repeat(64)}.test`;
  assert.match(
    await call(memory, ['node', name]),
    new RegExp(
      `^14: no route to node "${name}": it is not a member of this cluster, and its name does not resolve \\(E\\w+\\) \\(via node01\\)$`,
    ),
  );
});

test('apid of a worker serves only its own names', async () => {
  assert.deepEqual(
    [
      await callWorker(memory),
      await callWorker(memory, ['node', 'node01']),
      await callWorker(state, ['node', 'node01.cluster.test']),
      await callWorker(memory, ['node', '127.0.0.1']),
      await callWorker(memory, ['nodes', 'node01']),
      await callWorker(memory, ['node', 'node02']),
      await callWorker(memory, ['nodes', 'node01'], ['nodes', 'node02']),
      await callWorker(state, ['nodes', 'node02']),
    ],
    [
      'worker',
      'worker',
      'worker',
      'worker',
      'worker',
      '7: no request forwarding',
      '7: no request forwarding',
      '3: one-2-many proxying is not supported for method /cosi.resource.State/Get',
    ],
  );
});

test('apid in maintenance serves every call locally and requires no certificate', async () => {
  await using maintenance = await ApidUnderTest.start({
    runtime: {
      nodeRoutingDisabled: true,
      readonlyRoleMode: true,
      skipVerifyingClientCert: true,
      acceptedCas: [],
    },
    machined: reply(Buffer.from('maintenance')),
  });
  await using anybody = await Client.connect(maintenance.tlsWith({}));
  const answers = await Promise.all([
    anybody.call(memory, { metadata: [['node', 'node02']] }),
    anybody.call(state, {
      metadata: [
        ['nodes', 'a'],
        ['talos-role', 'os:admin'],
      ],
    }),
  ]);
  assert.deepEqual(answers.map(outcome), ['maintenance', 'maintenance']);
  assert.deepEqual(
    maintenance.machined.calls.map(({ values }) => values('talos-role')),
    [['os:reader'], ['os:reader']],
  );
});
