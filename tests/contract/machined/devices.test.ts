// The devices of a node, which machined takes from udevd-bridge.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { codecsOf, pointerTo } from '@nodewright/state';
import { blockDevices, deviceSourceStatuses, nodeKinds } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import { startNode } from './harness/node-under-test.ts';

test('after udevd-bridge was killed machined follows the next one, and the devices stay meanwhile', async () => {
  await using node = await startNode({ args: ['--restart-interval', '300ms'] });
  const client = node.client(StateDefinition, 'os:reader');
  const state = createStateClient({ client, codecs: codecsOf(nodeKinds) });
  const status = async () => (await state.get(pointerTo(deviceSourceStatuses))).spec;
  // Other programs of the host make and remove loop devices.
  const names = async () =>
    (await state.list(blockDevices))
      .map(({ metadata }) => metadata.id)
      .filter((id) => !id.startsWith('loop'))
      .sort();
  const isFollowed = async () => (await status()).connected;
  await eventually(isFollowed, { what: 'devices that are followed', timeoutMs: 30_000 });
  const { mode, reason, problem, gaps } = await status();
  assert.deepEqual([mode, problem, gaps], ['read-only', '', 0]);
  assert.match(reason, /do not belong to the node/);
  // They are published some moments after the connection.
  await eventually(async () => (await names()).length > 0, { what: 'devices', timeoutMs: 30_000 });
  const before = await names();

  const started = /udevd-bridge\.cjs.*?started with PID (\d+)/.exec(node.machined.stdout());
  const pid = Number(started?.[1]);
  assert.match(readFileSync(`/proc/${pid}/cmdline`, 'latin1'), /udevd-bridge\.cjs/);
  process.kill(pid, 'SIGKILL');
  // A busy machine may look at it only when the next one runs already.
  const isLost = async () => !(await status()).connected || (await status()).gaps > 0;
  await eventually(isLost, { what: 'the loss of udevd-bridge', timeoutMs: 30_000 });
  assert.deepEqual(await names(), before);
  // The next one has a history of its own, so everything is read again.
  const isReadAgain = async () => (await isFollowed()) && (await status()).gaps === 1;
  await eventually(isReadAgain, {
    ...{ what: 'devices that were read again', timeoutMs: 60_000 },
    explain: () => node.machined.stdout().slice(-2000),
  });
  assert.deepEqual(await names(), before);
});
