import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { machineConfigs } from '@nodewright/state/kinds';
import { ConfigurationKeeper } from './configuration-keeper.ts';
import { createPersistenceController } from './persistence.ts';

/** A node whose fake disk can fail, or block until its gate opens. */
async function openNode() {
  const disk = { stored: [] as string[], fault: undefined as Fault | undefined, gate: Promise.resolve() };
  const rig = openTestRuntime();
  const file = {
    async store(text: string) {
      await disk.gate;
      if (disk.fault !== undefined) throw disk.fault;
      disk.stored.push(text);
    },
  };
  const keeper = new ConfigurationKeeper(rig.state, rig.timers, file);
  rig.runtime.register(createPersistenceController({ keeper }));
  await rig.settled();
  const persistent = async () => (await rig.state.list(machineConfigs)).map(({ spec }) => spec);
  return { ...rig, keeper, disk, persistent, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

test('config.PersistenceController lets store() resolve once the text is on disk', async () => {
  await using node = await openNode();
  await node.keeper.store('a');
  await node.keeper.store('b');
  await node.keeper.store('b');
  assert.deepEqual([node.disk.stored, await node.persistent()], [['a', 'b'], ['b']]);
});

test('ConfigurationKeeper.store() does not resolve before the text is on disk', async () => {
  await using node = await openNode();
  const gate = Promise.withResolvers<void>();
  node.disk.gate = gate.promise;
  let isDone = false;
  const stored = node.keeper.store('a').then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  assert.deepEqual([isDone, node.disk.stored], [false, []]);
  gate.resolve();
  await stored;
  assert.deepEqual(node.disk.stored, ['a']);
});

test('ConfigurationKeeper.store() rejects with the error of the disk and keeps the previous text', async () => {
  await using node = await openNode();
  const full = new Fault('resource-exhausted', 'cannot write "config.yaml": no space left');
  const refused = {
    kind: 'resource-exhausted',
    message: 'the configuration is not applied: cannot write "config.yaml": no space left',
  };
  node.disk.fault = full;
  await assert.rejects(node.keeper.store('a'), refused);
  assert.deepEqual(await node.persistent(), []);
  node.disk.fault = undefined;
  const again = node.keeper.store('a');
  await node.advance(500);
  await again;

  node.disk.fault = full;
  await assert.rejects(node.keeper.store('b'), refused);
  assert.deepEqual(await node.persistent(), ['a']);
  node.disk.fault = undefined;
  await node.advance(500);
  assert.deepEqual(node.disk.stored, ['a', 'a']);
});

test('ConfigurationKeeper.store() waits for its own write while an older one of another text is running', async () => {
  await using node = await openNode();
  await node.keeper.store('a');
  const gate = Promise.withResolvers<void>();
  node.disk.gate = gate.promise;
  // The state after a timeout: `b` is being written, and `a` is to be stored again.
  await node.keeper.persist('b');
  await new Promise(setImmediate);
  let isDone = false;
  const stored = node.keeper.store('a').then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  assert.equal(isDone, false);
  gate.resolve();
  await stored;
  assert.deepEqual(node.disk.stored, ['a', 'b', 'a']);
});

test('ConfigurationKeeper.store() times out after 30 s on a disk that hangs', async () => {
  await using node = await openNode();
  await node.keeper.store('a');
  const gate = Promise.withResolvers<void>();
  node.disk.gate = gate.promise;
  const refused = assert.rejects(node.keeper.store('b'), {
    kind: 'deadline-exceeded',
    message: 'the configuration is not applied: the disk did not store it within 30 s',
  });
  await new Promise(setImmediate);
  node.timers.step(node.timers.now() + 30_000);
  await refused;
  assert.deepEqual(await node.persistent(), ['a']);
  gate.resolve();
  await node.settled();
  assert.deepEqual(node.disk.stored, ['a', 'b', 'a']);
});

test('ConfigurationKeeper.store() publishes a configuration only once it is on disk', async () => {
  await using node = await openNode();
  await node.keeper.store('a');
  const gate = Promise.withResolvers<void>();
  node.disk.gate = gate.promise;
  const stored = node.keeper.store('b');
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  assert.deepEqual(await node.persistent(), ['a']);
  gate.resolve();
  await stored;
  assert.deepEqual([node.disk.stored, await node.persistent()], [['a', 'b'], ['b']]);
});
