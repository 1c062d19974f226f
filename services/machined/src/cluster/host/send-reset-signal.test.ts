import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointerTo } from '@nodewright/state';
import { machineResetSignals } from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { openNodeState } from '../../base/resources/open-node-state.ts';
import { nodeRecord } from '../domain/testing/node-record.ts';
import { NodeRegistry } from './node-registry.ts';
import { sendResetSignal } from './send-reset-signal.ts';

async function resetting(signal = new AbortController().signal) {
  const state = await openNodeState(() => 0, noTelemetry);
  const registry = new NodeRegistry();
  registry.setOwn(nodeRecord(1));
  registry.setNodes([nodeRecord(1), nodeRecord(2)]);
  const order: string[] = [];
  const sent = sendResetSignal({ state, registry }, signal).then(() => order.push('sent'));
  const signals = async () =>
    (await state.list(pointerTo(machineResetSignals, 'machine'))).map(
      ({ metadata }) => `${metadata.id} of "${metadata.owner}"`,
    );
  return { registry, order, sent, signals };
}

test('sendResetSignal() creates the resource and waits until the node is removed from the records', async () => {
  const { registry, order, sent, signals } = await resetting();
  while ((await signals()).length === 0);
  assert.deepEqual(await signals(), ['machine of ""']);
  registry.setNodes([nodeRecord(1)]);
  registry.setOwn(undefined);
  order.push('gone');
  registry.setNodes([nodeRecord(2)]);
  await sent;
  assert.deepEqual(order, ['gone', 'sent']);
});

test('sendResetSignal() stops waiting when the sequence is aborted', async () => {
  const stop = new AbortController();
  const { sent, signals } = await resetting(stop.signal);
  stop.abort();
  await sent;
  assert.equal((await signals()).length, 1);
});
