import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkModule, checkSettleTimeout, checkSubsystems, checkTrigger } from './check-request.ts';
import { deviceLimits } from './limits.ts';
import { Places } from './places.ts';

const refused = { kind: 'invalid-argument' };
const many = (count: number) => Array.from({ length: count }, (_, index) => `/devices/virtual/net/v${index}`);

test('requests within their limits are accepted', () => {
  assert.equal(checkSubsystems([]), undefined);
  assert.deepEqual(checkSubsystems(['block', 'net', 'block']), new Set(['block', 'net']));
  checkTrigger('add', many(deviceLimits.triggerPaths));
  checkSettleTimeout(deviceLimits.settleTimeoutMs);
  assert.deepEqual(checkModule({ name: 'nf-tables' }), { name: 'nf-tables' });
  assert.deepEqual(checkModule({ modalias: 'pci:v00001AF4d*' }), { modalias: 'pci:v00001AF4d*' });
});

test('requests over a limit, or with a path to elsewhere, are refused', () => {
  const attempts = [
    () => checkSubsystems(Array.from({ length: deviceLimits.subsystems + 1 }, () => 'net')),
    ...['', '..', '.', 'a/b', 'n'.repeat(65), 'net\0'].map((name) => () => checkSubsystems([name])),
    () => checkTrigger('remove', []),
    () => checkTrigger('add', many(deviceLimits.triggerPaths + 1)),
    ...[
      '/block/vda',
      '/devices/../etc',
      '/devices//x',
      '/devices/x/',
      '--help',
      `/devices/${'x'.repeat(1024)}`,
    ].map((path) => () => checkTrigger('add', [path])),
    () => checkSettleTimeout(0),
    () => checkSettleTimeout(deviceLimits.settleTimeoutMs + 1),
    () => checkModule(undefined),
    ...['', '../x', 'a b', 'x'.repeat(65), '--all'.replace('--', '/')].map(
      (name) => () => checkModule({ name }),
    ),
    ...['', 'a b', 'x'.repeat(1025), 'x\0'].map((modalias) => () => checkModule({ modalias })),
  ];
  for (const attempt of attempts) assert.throws(attempt, refused, attempt.toString());
});

test('places are limited, and come back once each', () => {
  const places = new Places(2, 'Events');
  const first = places.take();
  using _second = places.take();
  assert.throws(() => places.take(), {
    kind: 'resource-exhausted',
    message: '2 calls of Events are open already',
  });
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  assert.equal(places.taken, 1);
});
