import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  hasFailed,
  isDown,
  isUpOrFinished,
  newServiceRecord,
  recordEvent,
  recordHealth,
  type ServiceRecord,
} from './service-record.ts';
import { type ServiceEvent, type ServiceState, serviceTransitions } from './service-state.ts';

const events = Object.keys(serviceTransitions.Initialized) as ServiceEvent[];

function recordAfter(steps: readonly ServiceEvent[], hasHealthCheck = true): ServiceRecord {
  return steps.reduce(
    (record, event, index) => recordEvent(record, event, event, 1000 * (index + 1)),
    newServiceRecord('apid', hasHealthCheck),
  );
}

const started: ServiceEvent[] = ['start', 'prepare', 'prepare', 'run'];

test('a service goes through the same states as in Talos, from start to end', () => {
  assert.deepEqual(
    recordAfter([
      'start',
      'wait',
      'prepare',
      'prepare',
      'run',
      'restart',
      'run',
      'signal',
      'signal',
      'finish',
    ]).history.map(({ state }) => state),
    [
      'Starting',
      'Waiting',
      'Preparing',
      'Preparing',
      'Running',
      'Waiting',
      'Running',
      'Stopping',
      'Stopping',
      'Finished',
    ],
  );
});

test('a service accepts exactly the events of its table, and a rejected event changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...events), { maxLength: 200 }), (steps) => {
      let record = newServiceRecord('apid', true);
      for (const event of steps) {
        const expected: ServiceState | undefined = serviceTransitions[record.state][event];
        const before = record;
        if (expected === undefined) {
          assert.throws(() => recordEvent(record, event, 'text', 1), {
            kind: 'internal',
            message: `service "apid" cannot ${event} while ${record.state}: text`,
          });
          assert.equal(record, before);
        } else {
          record = recordEvent(record, event, 'text', 1);
          assert.equal(record.state, expected);
          assert.equal(record.history.at(-1)?.state, expected);
        }
      }
      assert.ok(record.history.length <= 64);
    }),
  );
});

test('a service that has finished or been skipped accepts only a start, and one that has failed may also finish', () => {
  const taken = (['Finished', 'Skipped', 'Failed'] as const).map((state) =>
    events.filter((event) => serviceTransitions[state][event] !== undefined),
  );
  assert.deepEqual(taken, [['start'], ['start'], ['start', 'finish']]);
});

test('a service that was stopped neither counts as failed nor is waited for, however it ends', () => {
  const failed = recordAfter([...started, 'fail']);
  const stopped = recordAfter([...started, 'signal', 'fail']);
  const facts = (record: ServiceRecord) => [hasFailed(record), isUpOrFinished(record)];
  assert.deepEqual(facts(failed), [true, false]);
  assert.deepEqual(facts({ ...stopped, isStopped: true }), [false, true]);
  assert.deepEqual(facts({ ...recordAfter([...started, 'signal']), isStopped: true }), [false, false]);
  const again = recordEvent({ ...stopped, isStopped: true }, 'start', 'again', 1);
  assert.equal(again.isStopped, false);
});

test('the history keeps the newest 64 entries in order', () => {
  let record = recordAfter(['start']);
  for (let number = 0; number < 100; number++) record = recordEvent(record, 'wait', `wait ${number}`, number);
  assert.equal(record.history.length, 64);
  assert.deepEqual([record.history[0]?.message, record.history[63]?.message], ['wait 36', 'wait 99']);
});

test('the health record follows every check, and the history only a change of health', () => {
  const running = recordAfter(started);
  const checks = [
    { healthy: false, message: 'refused' },
    { healthy: false, message: 'still refused' },
    { healthy: true },
    { healthy: true },
    { healthy: false, message: 'gone' },
  ] as const;
  const records = [running];
  for (const [index, check] of checks.entries()) {
    records.push(recordHealth(records.at(-1) as ServiceRecord, check, 5000 + index));
  }
  assert.deepEqual(
    records.map(({ health }) => health),
    [
      { unknown: true, healthy: false, lastMessage: 'Unknown', lastChangeMs: 4000 },
      { unknown: false, healthy: false, lastMessage: 'refused', lastChangeMs: 5000 },
      { unknown: false, healthy: false, lastMessage: 'still refused', lastChangeMs: 5000 },
      { unknown: false, healthy: true, lastMessage: '', lastChangeMs: 5002 },
      { unknown: false, healthy: true, lastMessage: '', lastChangeMs: 5002 },
      { unknown: false, healthy: false, lastMessage: 'gone', lastChangeMs: 5004 },
    ],
  );
  assert.deepEqual(records.at(-1)?.history.slice(started.length), [
    { state: 'Running', message: 'Health check failed: refused', atMs: 5000 },
    { state: 'Running', message: 'Health check successful', atMs: 5002 },
    { state: 'Running', message: 'Health check failed: gone', atMs: 5004 },
  ]);
});

test('a healthy service that stops running becomes unhealthy without another history entry', () => {
  const healthy = recordHealth(recordAfter(started), { healthy: true }, 5000);
  const { health, history } = recordEvent(healthy, 'restart', 'again', 6000);
  assert.deepEqual(health, {
    unknown: false,
    healthy: false,
    lastMessage: 'service not running',
    lastChangeMs: 6000,
  });
  assert.deepEqual(history.at(-1), { state: 'Waiting', message: 'again', atMs: 6000 });
});

test('a health check that ends after the service has stopped changes nothing', () => {
  const stopped = recordAfter([...started, 'signal', 'finish']);
  assert.equal(recordHealth(stopped, { healthy: true }, 9000), stopped);
});

test('the health of a service without a health check is unknown in every state', () => {
  for (const steps of [[], started, [...started, 'restart'], [...started, 'fail']] as ServiceEvent[][]) {
    const record = recordAfter(steps, false);
    assert.deepEqual(recordHealth(record, { healthy: true }, 1).health, {
      unknown: true,
      healthy: false,
      lastMessage: '',
      lastChangeMs: undefined,
    });
  }
});

test('isDown() is true for finished, failed and skipped services only', () => {
  const ends: ServiceEvent[][] = [
    [...started, 'finish'],
    [...started, 'fail'],
    ['start', 'skip'],
  ];
  const others: ServiceEvent[][] = [[], ['start', 'wait'], started, [...started, 'signal']];
  assert.deepEqual(
    ends.map((steps) => isDown(recordAfter(steps))),
    [true, true, true],
  );
  assert.deepEqual(
    others.map((steps) => isDown(recordAfter(steps))),
    [false, false, false, false],
  );
});
