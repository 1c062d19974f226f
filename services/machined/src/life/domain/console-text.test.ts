import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ConsoleFacts, consoleLines } from './console-text.ts';

const nothing: ConsoleFacts = {
  ...{
    hostname: '',
    addresses: [],
    fingerprint: undefined,
    isApiWaiting: false,
    status: undefined,
    services: [],
    diagnostics: [],
  },
};
const service = (
  id: string,
  state: 'Waiting' | 'Failed' | 'Running',
  message: string,
  isStopped = false,
) => ({
  ...{ id, state, isStopped },
  history: [{ state, message, atMs: 0 }],
});

test('a machine that starts says that it has nothing yet', () => {
  assert.deepEqual(consoleLines(nothing), [
    '[nodewright] host name: none yet',
    '[nodewright] address: none',
    '[nodewright] fingerprint: none yet, the API has no certificate',
    '[nodewright] state: starting',
  ]);
});

test('a machine in maintenance says how it is configured', () => {
  const status = { stage: 'maintenance', status: { ready: true, unmetConditions: [] } } as const;
  const lines = consoleLines({
    ...nothing,
    ...{ hostname: 'talos-abc-def', addresses: ['10.0.2.15'], fingerprint: 'AbC=', status },
  });
  assert.deepEqual(lines.slice(1), [
    '[nodewright] address: 10.0.2.15',
    '[nodewright] fingerprint: AbC=',
    '[nodewright] state: maintenance',
    '[nodewright] waits for: a configuration: talosctl apply-config --insecure -n 10.0.2.15 -f <file>',
  ]);
});

test('the fingerprint of a worker that waits for its certificate is given only for the time of the wait', () => {
  const lines = consoleLines({ ...nothing, fingerprint: 'AbC=', isApiWaiting: true });
  assert.deepEqual(lines.slice(2, 4), [
    '[nodewright] fingerprint: AbC=',
    '[nodewright] fingerprint holds: while the API has no certificate of its cluster',
  ]);
  const without = consoleLines({ ...nothing, isApiWaiting: true });
  assert.deepEqual(without, consoleLines(nothing));
});

test('a machine that is not ready says what it waits for', () => {
  const unmetConditions = [{ name: 'time', reason: 'time is not synced' }];
  const lines = consoleLines({
    ...nothing,
    status: { stage: 'running', status: { ready: false, unmetConditions } },
    services: [
      service('apid', 'Running', 'Health check successful'),
      service('etcd', 'Waiting', 'Waiting for time sync'),
      service('kubelet', 'Failed', 'service aborted', true),
      service('trustd', 'Failed', 'no certificate'),
    ],
    diagnostics: [{ message: 'the machine has no address', details: ['write ip='] }],
  });
  assert.deepEqual(lines.slice(3), [
    '[nodewright] state: running, not ready',
    '[nodewright] waits for: the machine has no address',
    '[nodewright] waits for: write ip=',
    '[nodewright] waits for: service etcd: Waiting for time sync',
    '[nodewright] waits for: service trustd: no certificate',
    '[nodewright] waits for: time: time is not synced',
  ]);
});

test('whatever names and messages hold, a console gets a bounded number of printable lines', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 });
  const facts = fc.record({
    hostname: text,
    addresses: fc.array(text, { maxLength: 40 }),
    fingerprint: fc.option(text, { nil: undefined }),
    isApiWaiting: fc.boolean(),
    services: fc.array(
      text.map((message) => service(message, 'Failed', message)),
      { maxLength: 40 },
    ),
    diagnostics: fc.array(fc.record({ message: text, details: fc.array(text) }), { maxLength: 40 }),
  });
  fc.assert(
    fc.property(facts, (some) => {
      const lines = consoleLines({ ...nothing, ...some });
      assert.ok(lines.length <= 16, String(lines.length));
      for (const line of lines) assert.match(line, /^\[nodewright\] [\x20-\x7e]{1,240}$/);
    }),
    { seed: 46 },
  );
});
