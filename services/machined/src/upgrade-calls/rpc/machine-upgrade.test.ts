// Upgrade and Rollback of MachineService: the order of what is checked, and the sequences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { contextOf, testCalls } from '../testing/test-calls.ts';

const image = 'registry.example/installer:v1.14.1';
const pinned = `${image}@sha256:${'a'.repeat(64)}`;
const plain = { image, preserve: false, stage: false, force: false, rebootMode: 0 } as const;
const request = { image: pinned, allowsDowngrade: false, extensionSet: undefined, dropsExtensions: false };

test('Upgrade pulls, asks etcd, answers, and lets the plan ask again with the turn, write the slot and restart', async () => {
  const { upgrades, events, machine } = await testCalls();
  const { messages } = await machine.upgrade(plain, contextOf());
  assert.deepEqual(
    messages?.map(({ ack, actorId }) => [ack, /^[0-9a-f-]{36}$/.test(actorId ?? '')]),
    [['the upgrade has begun', true]],
  );
  await eventually(async () => upgrades.calls.length > 0, { what: 'the write' });
  assert.deepEqual(events, [['pull', image], ['etcd'], ['sequence upgrade', 'graceful'], ['etcd']]);
  assert.deepEqual(upgrades.calls, [['upgrade', request]]);
});

for (const flag of ['preserve', 'force'] as const)
  test(`--${flag} leaves out the check of etcd, and nothing else`, async () => {
    const { events, machine } = await testCalls();
    await machine.upgrade({ ...plain, [flag]: true, rebootMode: 1 }, contextOf());
    assert.deepEqual(events, [
      ['pull', image],
      ['sequence upgrade', 'power-cycle'],
    ]);
  });

test('a roll-out that begins during the pull, or while etcd is asked, keeps the upgrade of this node alone away', async () => {
  for (const stage of [false, true]) {
    let problem: string | undefined;
    const begins = async () => {
      problem = 'a roll-out runs';
    };
    const pull = async (name: string) => {
      await begins();
      return name;
    };
    for (const change of [{ pull }, ...(stage ? [{ assertMayUpgrade: begins }] : [])]) {
      problem = undefined;
      const { upgrades, events, machine } = await testCalls({
        ...change,
        rolloutProblem: async () => problem,
      });
      await assert.rejects(async () => machine.upgrade({ ...plain, stage }, contextOf()), {
        message: 'a roll-out runs',
      });
      assert.deepEqual(upgrades.calls, []);
      assert.ok(!events.some((event) => String(event).startsWith('sequence')));
    }
  }
});

test('--stage records the upgrade with its digest, and restarts at once', async () => {
  const { upgrades, events, machine } = await testCalls();
  await machine.upgrade({ ...plain, stage: true }, contextOf());
  assert.deepEqual(upgrades.calls, [['stage', request]]);
  assert.deepEqual(events.at(-1), ['sequence stageUpgrade', 'graceful']);
});

test('a refusal of the pull, of etcd or of the record reaches the caller, and nothing restarts', async () => {
  const refuse = async () => {
    throw new Fault('failed-precondition', 'the reason');
  };
  for (const change of [{ pull: refuse }, { assertMayUpgrade: refuse }]) {
    const { upgrades, events, machine } = await testCalls(change);
    await assert.rejects(async () => machine.upgrade(plain, contextOf()), { message: 'the reason' });
    assert.deepEqual(upgrades.calls, []);
    assert.ok(!events.some((event) => String(event).startsWith('sequence')));
  }
  const { upgrades, events, machine } = await testCalls();
  upgrades.failure = new Fault('resource-exhausted', 'META is full');
  await assert.rejects(async () => machine.upgrade({ ...plain, stage: true }, contextOf()), {
    message: 'META is full',
  });
  await assert.rejects(async () => machine.rollback({}, contextOf()), { message: 'META is full' });
  assert.deepEqual(events, [['pull', image], ['etcd']]);
});

test('a client that is killed during the pull changes nothing, and the turn is free', async () => {
  const client = new AbortController();
  const { upgrades, machine } = await testCalls({
    async pull(_name, signal) {
      client.abort();
      signal.throwIfAborted();
      return 'never';
    },
  });
  await assert.rejects(async () => machine.upgrade(plain, contextOf(client.signal)), { name: 'AbortError' });
  assert.deepEqual(upgrades.calls, []);
  await machine.rollback({}, contextOf());
});

test('a client that is killed while etcd is asked changes nothing either', async () => {
  for (const stage of [false, true]) {
    const client = new AbortController();
    const { upgrades, events, machine } = await testCalls({ assertMayUpgrade: async () => client.abort() });
    await assert.rejects(async () => machine.upgrade({ ...plain, stage }, contextOf(client.signal)), {
      name: 'AbortError',
    });
    assert.deepEqual([upgrades.calls, events], [[], [['pull', image]]]);
  }
});

test('an upgrade of the sequence that fails gives its turn back', async () => {
  const { upgrades, events, machine } = await testCalls();
  await machine.upgrade(plain, contextOf());
  await eventually(async () => upgrades.running === 1, { what: 'the write' });
  upgrades.end(new Fault('data-loss', 'changed'));
  await eventually(async () => `${events.at(-1)}` === 'sequence failed', { what: 'the end' });
  await turnOfLoop();
  await machine.rollback({}, contextOf());
});

test('Rollback lets the next start have the system before, and restarts with takeover', async () => {
  const { upgrades, events, machine } = await testCalls();
  assert.deepEqual(await machine.rollback({}, contextOf()), { messages: [{}] });
  assert.deepEqual([upgrades.calls, events], [[['rollback']], [['sequence reboot']]]);
});

test('unknown reboot modes, machines that run from memory, and processes that cannot end are refused', async () => {
  const { machine, upgrades } = await testCalls();
  await assert.rejects(async () => machine.upgrade({ ...plain, rebootMode: 7 as 0 }, contextOf()), {
    ...{ kind: 'invalid-argument', message: 'invalid reboot mode: 7' },
  });
  upgrades.installed = false;
  for (const call of [() => machine.upgrade(plain, contextOf()), () => machine.rollback({}, contextOf())])
    await assert.rejects(async () => call(), { message: 'machine is not installed' });
  const stuck = (await testCalls({ cannotEnd: 'not the first process' })).machine;
  await assert.rejects(async () => stuck.rollback({}, contextOf()), { message: 'not the first process' });
  const other = (await testCalls({ upgrades: undefined, description: 'a set of containers' })).machine;
  await assert.rejects(async () => other.upgrade(plain, contextOf()), /this node is a set of containers/);
});
