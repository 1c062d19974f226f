// ServiceStart, ServiceStop and ServiceRestart on a node: which services the API may not control, and with
// what message.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { type NodeUnderTest, startNode } from './harness/node-under-test.ts';

const scope = new AsyncDisposableStack();
let node: NodeUnderTest;
before(async () => {
  node = scope.use(await startNode());
  await node.serviceSays('apid', /Health check successful/);
});
after(() => scope.disposeAsync());

const unknown = 2;
const machine = () => node.client(MachineServiceDefinition, 'os:operator');

test('starting a running service succeeds and changes nothing', async () => {
  const startedBefore = (await node.service('apid')).events?.events.length;
  assert.deepEqual((await machine().serviceStart({ id: 'apid' })).messages, [
    { metadata: undefined, resp: 'Service "apid" started' },
  ]);
  assert.equal((await node.service('apid')).events?.events.length, startedBefore);
});

test('a protected service is not touched, and the reason is given', async () => {
  await assert.rejects(machine().serviceStop({ id: 'apid' }), {
    code: unknown,
    details: 'service "apid" doesn\'t support stop operation via API',
  });
  await assert.rejects(machine().serviceRestart({ id: 'machined' }), {
    code: unknown,
    details: 'service "machined" doesn\'t support restart operation via API',
  });
  assert.equal((await node.service('apid')).state, 'Running');
});

test('an unknown service is not defined', async () => {
  for (const call of ['serviceStart', 'serviceStop', 'serviceRestart'] as const) {
    await assert.rejects(machine()[call]({ id: 'kubelet' }), {
      code: unknown,
      details: 'service "kubelet" not defined',
    });
  }
});
