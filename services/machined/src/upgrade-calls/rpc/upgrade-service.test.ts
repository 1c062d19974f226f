// UpgradeService: what upstream's messages cannot carry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type {
  UpgradeRequest,
  UpgradeResponse,
  UpgradeSettings,
} from '@nodewright/contract/gen/suite/upgrade/v1/upgrade.ts';
import { Fault } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { contextOf, testCalls } from '../testing/test-calls.ts';

const image = 'registry.example/installer:v1.14.1';
const plain: UpgradeSettings = {
  ...{ image, allowDowngrade: false, hasExtensionSet: false, withoutExtensions: false, stage: false },
  runPlan: false,
};

async function* requestsOf(settings: UpgradeSettings, ...pieces: Buffer[]): AsyncGenerator<UpgradeRequest> {
  yield { request: { $case: 'settings', value: settings } };
  for (const value of pieces) yield { request: { $case: 'extensionSet', value } };
}

async function all(stream: AsyncIterable<unknown>): Promise<(UpgradeResponse['event'] | undefined)[]> {
  const found = [];
  for await (const { event } of stream as AsyncIterable<UpgradeResponse>) found.push(event);
  return found;
}

test('a downgrade with a set of extensions: the set arrives first, and is removed when the run is over', async () => {
  const { upgrades, events, own } = await testCalls();
  const settings = { ...plain, allowDowngrade: true, hasExtensionSet: true };
  const stream = all(own.upgrade(requestsOf(settings, Buffer.alloc(5), Buffer.alloc(7)), contextOf()));
  await turnOfLoop();
  upgrades.report('writes slot B');
  assert.deepEqual(events, [['set', 12]]);
  upgrades.end();
  assert.deepEqual(await stream, [
    { $case: 'progress', value: { line: 'writes slot B' } },
    { $case: 'prepared', value: { isStaged: false } },
  ]);
  assert.deepEqual(events, [['set', 12], ['set removed']]);
  const expected = { image, allowsDowngrade: true, extensionSet: '/run/set', dropsExtensions: false };
  assert.deepEqual(upgrades.calls, [['upgrade', expected]]);
});

test('a staged upgrade without extensions is recorded', async () => {
  const { upgrades, own } = await testCalls();
  const settings = { ...plain, withoutExtensions: true, stage: true };
  assert.deepEqual(await all(own.upgrade(requestsOf(settings), contextOf())), [
    { $case: 'prepared', value: { isStaged: true } },
  ]);
  const expected = { image, allowsDowngrade: false, extensionSet: undefined, dropsExtensions: true };
  assert.deepEqual(upgrades.calls, [['stage', expected]]);
});

test('a roll-out that begins during the pull or the upload keeps the upgrade of this node alone away', async () => {
  for (const settings of [
    { ...plain, runPlan: true },
    { ...plain, hasExtensionSet: true },
    { ...plain, hasExtensionSet: true, stage: true },
  ]) {
    let problem: string | undefined;
    const { upgrades, events, own } = await testCalls({
      rolloutProblem: async () => problem,
      async pull(name) {
        problem = 'a roll-out runs';
        return name;
      },
      received: {
        async receive() {
          problem = 'a roll-out runs';
          return '/run/set';
        },
        remove: async () => {},
      },
    });
    await assert.rejects(all(own.upgrade(requestsOf(settings), contextOf())), { message: 'a roll-out runs' });
    assert.deepEqual([upgrades.calls, events], [[], []]);
  }
});

test('a failure is the status of the call, and the set is removed', async () => {
  const { upgrades, events, own } = await testCalls();
  upgrades.failure = new Fault('permission-denied', 'the artefact is not signed');
  const settings = { ...plain, hasExtensionSet: true };
  await assert.rejects(all(own.upgrade(requestsOf(settings), contextOf())), {
    ...{ kind: 'permission-denied', message: 'the artefact is not signed' },
  });
  assert.deepEqual(events, [['set', 0], ['set removed']]);
});

for (const [name, requests, message] of [
  ['no request', (async function* () {})(), /first request/],
  [
    'a piece first',
    (async function* (): AsyncGenerator<UpgradeRequest> {
      yield { request: { $case: 'extensionSet', value: Buffer.alloc(1) } };
    })(),
    /first request/,
  ],
  ['no image', requestsOf({ ...plain, image: '' }), /image name is required/],
  [
    'both a set and none',
    requestsOf({ ...plain, hasExtensionSet: true, withoutExtensions: true }),
    /either a set of extensions or none/,
  ],
  [
    'settings twice',
    (async function* () {
      yield* requestsOf({ ...plain, hasExtensionSet: true });
      yield* requestsOf(plain);
    })(),
    /only pieces of a set/,
  ],
] as const)
  test(`${name} is refused, and the turn is free`, async () => {
    const { upgrades, own, machine } = await testCalls();
    await assert.rejects(all(own.upgrade(requests, contextOf())), { kind: 'invalid-argument', message });
    assert.deepEqual(upgrades.calls, []);
    await machine.rollback({}, contextOf());
  });

test('a client that leaves while it sends a set changes nothing; one that leaves later does not end the run', async () => {
  const { upgrades, events, own, machine } = await testCalls();
  const broken = (async function* () {
    yield* requestsOf({ ...plain, hasExtensionSet: true }, Buffer.alloc(3));
    throw new Error('the client has left');
  })();
  await assert.rejects(all(own.upgrade(broken, contextOf())), /the client has left/);
  assert.deepEqual([upgrades.calls, events], [[], [['set removed']]]);

  const client = new AbortController();
  const stream = all(own.upgrade(requestsOf(plain), contextOf(client.signal)));
  await turnOfLoop();
  client.abort();
  assert.deepEqual(await stream, []);
  assert.equal(upgrades.running, 1);
  await assert.rejects(async () => machine.rollback({}, contextOf()), /already in progress/);
  upgrades.end();
  await turnOfLoop();
  await machine.rollback({}, contextOf());
});

test('a node that is no machine refuses before it reads a request', async () => {
  const { own } = await testCalls({ upgrades: undefined, description: 'a container' });
  const never = (async function* (): AsyncGenerator<UpgradeRequest> {
    await new Promise(() => {});
  })();
  await assert.rejects(all(own.upgrade(never, contextOf())), /this node is a container/);
});

test('a plan is begun when etcd allows it, holds the turn, and names its events; its client may leave', async () => {
  const { upgrades, events, machine, own } = await testCalls();
  const client = new AbortController();
  const stream = own.upgrade(requestsOf({ ...plain, runPlan: true }), contextOf(client.signal));
  for await (const { event } of stream as AsyncIterable<UpgradeResponse>) {
    assert.equal(event?.$case, 'begun');
    if (event?.$case === 'begun') assert.match(event.value.plan, /^[0-9a-f]{32}$/);
    break;
  }
  client.abort();
  await eventually(async () => upgrades.running === 1, { what: 'the write' });
  assert.deepEqual(events, [['pull', image], ['etcd'], ['sequence upgrade', 'graceful'], ['etcd']]);
  const busy = { message: 'another installation/upgrade is already in progress' };
  await assert.rejects(async () => machine.rollback({}, contextOf()), busy);
  upgrades.end(new Fault('resource-exhausted', 'the disk is full'));
  await eventually(async () => `${events.at(-1)}` === 'sequence failed', { what: 'the end' });
  await turnOfLoop();
  await machine.rollback({}, contextOf());
});

for (const [what, change, settings, message] of [
  [
    'a set of extensions',
    {},
    { hasExtensionSet: true },
    'the plan of a node has no set of extensions, and is not staged',
  ],
  [
    'a quorum that would break',
    { assertMayUpgrade: () => Promise.reject(new Fault('failed-precondition', 'member count(2)')) },
    {},
    'member count(2)',
  ],
  ['a process that cannot end', { cannotEnd: 'not the first process' }, {}, 'not the first process'],
] as const)
  test(`a plan with ${what} is refused, and the turn is free`, async () => {
    const { events, machine, own } = await testCalls(change);
    const wanted = { ...plain, runPlan: true, ...settings };
    await assert.rejects(all(own.upgrade(requestsOf(wanted), contextOf())), { message });
    assert.ok(!events.some((event) => String(event).startsWith('sequence')));
    if (!('cannotEnd' in change)) await machine.rollback({}, contextOf());
  });

test('while a roll-out runs, each call that upgrades this node alone is refused and names it, and a rollback is not', async () => {
  const problem = 'the roll-out 1234 upgrades all nodes: follow it with "talosctl upgrade status"';
  const { upgrades, events, own, machine, lifecycle } = await testCalls({
    rolloutProblem: async () => problem,
  });
  const refused = { kind: 'failed-precondition', message: problem };
  for (const settings of [plain, { ...plain, runPlan: true }, { ...plain, stage: true }])
    await assert.rejects(all(own.upgrade(requestsOf(settings), contextOf())), refused);
  const legacy = { image, preserve: true, stage: false, force: true, rebootMode: 0 as const };
  await assert.rejects(Promise.resolve(machine.upgrade(legacy, contextOf())), refused);
  const plainCall = {
    containerd: { driver: 0 as const, namespace: 0 as const },
    source: { imageName: image },
  };
  await assert.rejects(all(lifecycle.upgrade(plainCall, contextOf())), refused);
  assert.deepEqual([upgrades.calls, events], [[], []]);
  await machine.rollback({}, contextOf());
  assert.deepEqual(upgrades.calls, [['rollback']]);
});
