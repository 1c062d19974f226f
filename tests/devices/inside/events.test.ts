import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Event, EventSource, Mode } from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { eventually } from '@nodewright/testkit';
import { Status } from 'nice-grpc';
import { announceLoopback, collect, connect, isUdevRecorded, startMachine } from './own-machine.ts';

const scope = new AsyncDisposableStack();
const machine = scope.use(await startMachine());
after(() => scope.disposeAsync());
const { client } = machine;

const numbersOf = (events: readonly Event[], source: EventSource) =>
  events.filter((event) => event.source === source).map(({ properties }) => Number(properties.SEQNUM));

test('udevd runs, has processed the devices, and the daemon says so', async () => {
  const status = await client.status({});
  assert.deepEqual([status.mode, status.receivesEvents, status.eventsProblem], [Mode.MODE_UDEVD, true, '']);
  assert.deepEqual(status.udevd, { isRunning: true, isSettled: true, problem: '', restarts: 0 });
  const devices = (await Array.fromAsync(client.inventory({ subsystems: ['net'] }))).flatMap(
    (page) => page.devices,
  );
  const loopback = devices.find(({ name }) => name === 'lo');
  // Its record exists, although udevd has nothing to say about it.
  assert.ok(loopback?.udev !== undefined);
});

test('none of 10,000 events is lost or out of order while the consumer starts again several times', async () => {
  const count = 10_000;
  const restarts = 5;
  let { position } = await client.status({});
  const events: Event[] = [];
  let made = 0;
  // The kernel writes each at once; udevd processes them as fast as it can.
  const making = (async () => {
    for (; made < count; made += 1) {
      announceLoopback();
      // Other work of this process gets its turn.
      if (made % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const isDone = () =>
    [EventSource.EVENT_SOURCE_KERNEL, EventSource.EVENT_SOURCE_UDEVD].every(
      (source) => numbersOf(events, source).length === count,
    );
  for (let run = 1; !isDone(); run += 1) {
    using connection = connect();
    const goal = run <= restarts ? (run * 2 * count) / (restarts + 1) : 2 * count;
    const part = await collect(
      connection.client,
      { after: position, subsystems: ['net'] },
      (got) => events.length + got.length >= goal,
    );
    assert.deepEqual(part.gaps, []);
    events.push(...part.events);
    position = part.position;
  }
  await making;
  for (const source of [EventSource.EVENT_SOURCE_KERNEL, EventSource.EVENT_SOURCE_UDEVD]) {
    const numbers = numbersOf(events, source);
    assert.equal(new Set(numbers).size, count);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  }
  const sequences = events.map(({ sequence }) => sequence);
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => (a < b ? -1 : 1)),
  );
  assert.equal((await client.status({})).kernelDrops, 0n);
});

test('a consumer that comes too late is told so', async () => {
  const { position } = await client.status({});
  const late = await collect(
    client,
    { after: { history: position?.history ?? '', sequence: 1n } },
    () => true,
  );
  assert.deepEqual(late.gaps, [2]);
});

test('a device is announced again when it is asked for, and settled afterwards', async () => {
  const { position } = await client.status({});
  await client.trigger({ action: 'change', paths: ['/devices/virtual/net/lo'] });
  assert.deepEqual(await client.settle({ timeoutMs: 120_000 }), { isSettled: true });
  const { events } = await collect(
    client,
    { after: position, subsystems: ['net'] },
    (got) => got.length >= 2,
  );
  assert.deepEqual(
    events.map(({ action, source, path }) => [action, source, path]),
    [EventSource.EVENT_SOURCE_KERNEL, EventSource.EVENT_SOURCE_UDEVD].map((source) => [
      'change',
      source,
      '/devices/virtual/net/lo',
    ]),
  );
});

test('a module is refused by a kernel that would load unsigned ones', async () => {
  await assert.rejects(client.loadModule({ module: { $case: 'name', value: 'vxlan' } }), {
    code: Status.FAILED_PRECONDITION,
    details: /module\.sig_enforce=1/,
  });
});

test('udevd that is killed is started again, and processes all devices again', async () => {
  const { pid } = await machine.process.waitForLine('udevd started');
  process.kill(Number(pid), 'SIGKILL');
  await eventually(
    async () => {
      const { udevd } = await client.status({});
      return udevd?.restarts === 1 && udevd.isSettled;
    },
    { what: 'another udevd', timeoutMs: 300_000, explain: () => machine.process.stdout() },
  );
  assert.ok(isUdevRecorded('n1'));
});
