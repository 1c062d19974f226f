// LifecycleService: what is refused in which order, what the stream has, and what becomes of a run whose client leaves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { ContainerDriver, ContainerdNamespace } from '@nodewright/contract/gen/common/common.ts';
import { UpgradeRequest_RebootMode } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { contextOf, progressOf, testCalls } from '../testing/test-calls.ts';
import type { UpgradeAccessInit } from './upgrade-access.ts';

const containerd = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_SYSTEM } as const;
const source = { imageName: 'registry.example/installer:v1.14.1' };
const destination = { disk: '/dev/vda' };
const good = { containerd, source };
const wanted = { allowsDowngrade: false, extensionSet: undefined, dropsExtensions: false };

const refusals = [
  [
    'upgrade',
    good,
    { installed: false },
    { kind: 'failed-precondition', message: 'machine is not installed' },
  ],
  [
    'upgrade',
    { containerd, source: undefined },
    {},
    { kind: 'invalid-argument', message: 'installer image name is required' },
  ],
  [
    'upgrade',
    { containerd, source: { imageName: 'x'.repeat(1025) } },
    {},
    { kind: 'invalid-argument', message: /more than 1024 characters/ },
  ],
  [
    'upgrade',
    { containerd: undefined, source },
    {},
    { kind: 'internal', message: 'upgrade failed: containerd instance is required' },
  ],
  [
    'install',
    { ...good, destination },
    { installed: true },
    { kind: 'already-exists', message: 'machine is already installed' },
  ],
  [
    'install',
    { containerd, source: { imageName: '' }, destination },
    { installed: false },
    { kind: 'invalid-argument', message: 'installer image name is required' },
  ],
  [
    'install',
    good,
    { installed: false },
    { kind: 'invalid-argument', message: 'destination disk is required' },
  ],
  ...['vda', '/etc/passwd', '/dev/../etc', '/dev/', '/dev/a b', `/dev/${'x'.repeat(300)}`].map(
    (disk) =>
      [
        'install',
        { ...good, destination: { disk } },
        { installed: false },
        { kind: 'invalid-argument', message: /^invalid disk path: / },
      ] as const,
  ),
] as const;

for (const [method, request, { installed = true }, expected] of refusals.map(
  ([name, wish, state, fault]) => [name, wish, state as { installed?: boolean }, fault] as const,
))
  test(`${method}() of ${JSON.stringify(request).slice(0, 80)} is refused: ${expected.message}`, async () => {
    const { upgrades, lifecycle } = await testCalls();
    upgrades.installed = installed;
    const call = lifecycle[method] as unknown as (wish: unknown, context: unknown) => AsyncIterable<object>;
    await assert.rejects(progressOf(call(request, contextOf())), expected);
    assert.deepEqual(upgrades.calls, []);
    // A refused call has given its turn back.
    await assert.rejects(progressOf(call(request, contextOf())), expected);
  });

test('every call is refused while an installation or an upgrade runs that no call has begun', async () => {
  const busy = {
    kind: 'failed-precondition',
    message: 'another installation/upgrade is already in progress',
  } as const;
  const { upgrades, lifecycle, machine } = await testCalls();
  upgrades.busy = true;
  await assert.rejects(progressOf(lifecycle.upgrade(good, contextOf())), busy);
  const legacy = {
    ...{ image: 'a', preserve: false, stage: false, force: false },
    rebootMode: UpgradeRequest_RebootMode.DEFAULT,
  };
  await assert.rejects(Promise.resolve(machine.upgrade(legacy, contextOf())), busy);
  upgrades.installed = false;
  await assert.rejects(progressOf(lifecycle.install({ ...good, destination }, contextOf())), busy);
  assert.deepEqual(upgrades.calls, []);
});

test('the log says what a run has done, for an installation and for an upgrade', async () => {
  const lines: string[] = [];
  const note = (_fields: unknown, line: string) => void lines.push(line);
  const { upgrades, lifecycle } = await testCalls({
    log: { info: note, warn: note } as UpgradeAccessInit['log'],
  });
  for (const installed of [false, true]) {
    upgrades.installed = installed;
    const stream = installed
      ? lifecycle.upgrade(good, contextOf())
      : lifecycle.install({ ...good, destination }, contextOf());
    const all = progressOf(stream);
    await turnOfLoop();
    upgrades.end();
    await all;
  }
  assert.deepEqual(lines, ['a disk of this machine has a new system', 'the other slot has a new system']);
});

test('a node that is no machine refuses both calls in one line', async () => {
  const { lifecycle } = await testCalls({
    upgrades: undefined,
    description: 'a set of processes on a shared host',
  });
  const expected = {
    kind: 'failed-precondition',
    message: /^this node is a set of processes on a shared host: only machines with a disk/,
  };
  await assert.rejects(progressOf(lifecycle.upgrade(good, contextOf())), expected);
  await assert.rejects(progressOf(lifecycle.install({ ...good, destination }, contextOf())), expected);
});

test('an upgrade sends a line with its line feed in each message, and then the exit code 0', async () => {
  const { upgrades, lifecycle } = await testCalls();
  const stream = progressOf(lifecycle.upgrade(good, contextOf()));
  await turnOfLoop();
  for (const line of ['writes slot B', 'reads slot B back']) upgrades.report(line);
  await turnOfLoop();
  upgrades.report('the next start tries slot B');
  upgrades.end();
  assert.deepEqual(await stream, [
    ...['writes slot B\n', 'reads slot B back\n', 'the next start tries slot B\n', 0],
  ]);
  assert.deepEqual(upgrades.calls, [['upgrade', { image: source.imageName, ...wanted }]]);
});

test('an installation overwrites nothing that nobody asked it to', async () => {
  const { upgrades, lifecycle } = await testCalls();
  upgrades.installed = false;
  const stream = progressOf(lifecycle.install({ ...good, destination }, contextOf()));
  await turnOfLoop();
  upgrades.end();
  assert.deepEqual(await stream, [0]);
  const { disk } = destination;
  assert.deepEqual(upgrades.calls, [['install', { image: source.imageName, ...wanted, disk, wipes: false }]]);
});

for (const [kind, code] of [
  ['invalid-argument', 2],
  ['permission-denied', 2],
  ['unimplemented', 3],
  ['failed-precondition', 4],
  ['unavailable', 5],
  ['aborted', 5],
  ['data-loss', 6],
  ['resource-exhausted', 6],
  ['unknown', 1],
] as const)
  test(`an upgrade that fails with ${kind} ends with its reason, the exit code ${code} and the status OK`, async () => {
    const { upgrades, lifecycle } = await testCalls();
    upgrades.failure = new Fault(kind, 'the reason');
    assert.deepEqual(await progressOf(lifecycle.upgrade(good, contextOf())), ['error: the reason\n', code]);
  });

test('an artefact that is nowhere is an internal failure of the call, as upstream has it', async () => {
  const { upgrades, lifecycle } = await testCalls();
  upgrades.failure = new Fault('not-found', 'no such artefact');
  await assert.rejects(progressOf(lifecycle.upgrade(good, contextOf())), {
    kind: 'internal',
    message: 'upgrade failed: no such artefact',
  });
});

test('of two upgrades in one second the second is refused, whichever call it is; the first goes on', async () => {
  const { upgrades, events, lifecycle, machine, own } = await testCalls();
  const first = progressOf(lifecycle.upgrade(good, contextOf()));
  await turnOfLoop();
  const expected = {
    kind: 'failed-precondition',
    message: 'another installation/upgrade is already in progress',
  };
  await assert.rejects(progressOf(lifecycle.upgrade(good, contextOf())), expected);
  const legacy = { image: 'a', preserve: true, stage: false, force: false, rebootMode: 0 } as const;
  await assert.rejects(async () => machine.upgrade(legacy, contextOf()), expected);
  await assert.rejects(async () => machine.rollback({}, contextOf()), expected);
  const settings = { ...{ image: 'a', allowDowngrade: true, hasExtensionSet: false } };
  const requests = (async function* () {
    yield {
      request: {
        $case: 'settings' as const,
        value: { ...settings, withoutExtensions: false, stage: false, runPlan: false },
      },
    };
  })();
  await assert.rejects(async () => {
    for await (const _event of own.upgrade(requests, contextOf()));
  }, expected);
  assert.equal(upgrades.running, 1);
  upgrades.end();
  assert.deepEqual(await first, [0]);
  assert.deepEqual(events, []);
  const next = progressOf(lifecycle.upgrade(good, contextOf()));
  await turnOfLoop();
  upgrades.end();
  assert.deepEqual(await next, [0]);
});

test('a client that is killed changes nothing: the upgrade goes on, and keeps its turn until it is over', async () => {
  const { upgrades, lifecycle } = await testCalls();
  const client = new AbortController();
  const stream = progressOf(lifecycle.upgrade(good, contextOf(client.signal)));
  await turnOfLoop();
  upgrades.report('writes slot B');
  await turnOfLoop();
  client.abort();
  assert.deepEqual(await stream, ['writes slot B\n']);
  assert.equal(upgrades.running, 1);
  await assert.rejects(progressOf(lifecycle.upgrade(good, contextOf())), { kind: 'failed-precondition' });
  upgrades.report('a line that nobody reads');
  upgrades.end();
  await turnOfLoop();
  assert.equal(upgrades.running, 0);
  const next = progressOf(lifecycle.upgrade(good, contextOf()));
  await turnOfLoop();
  upgrades.end();
  assert.deepEqual(await next, [0]);
});

test('10,000 calls at once begin one upgrade, and the others end at once', async () => {
  const { upgrades, lifecycle } = await testCalls();
  const first = progressOf(lifecycle.upgrade(good, contextOf()));
  await turnOfLoop();
  const others = await Promise.allSettled(
    Array.from({ length: 10_000 }, () => progressOf(lifecycle.upgrade(good, contextOf()))),
  );
  assert.equal(others.filter(({ status }) => status === 'rejected').length, 10_000);
  assert.equal(upgrades.calls.length, 1);
  upgrades.end();
  assert.deepEqual(await first, [0]);
});

test('a client that does not read holds nothing up, and the lines that wait for it are bounded', async () => {
  const { upgrades, lifecycle } = await testCalls();
  const stream = lifecycle.upgrade(good, contextOf())[Symbol.asyncIterator]();
  const first = stream.next();
  await turnOfLoop();
  for (let line = 0; line < 10_000; line += 1) upgrades.report(`${line} ${'x'.repeat(10_000)}`);
  upgrades.end();
  await turnOfLoop();
  assert.equal(upgrades.running, 0);
  const found = [await first];
  for (;;) {
    const next = await stream.next();
    if (next.done) break;
    found.push(next);
  }
  const texts = found.map(({ value }) => value?.progress?.response?.value);
  assert.deepEqual(
    [texts[0], texts.length],
    ['9488 lines are left out: they were not read in time\n', 1 + 512 + 1],
  );
  assert.ok(texts.every((text) => typeof text === 'number' || String(text).length <= 4097));
});
