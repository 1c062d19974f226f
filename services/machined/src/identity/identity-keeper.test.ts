import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { Identity } from '../domain/runtime-files.ts';
import { ChangeSignal } from '../host/change-signal.ts';
import { IdentityKeeper } from './identity-keeper.ts';

const hourMs = 60 * 60 * 1000;

function keeperOf(obtain: (count: number, signal: AbortSignal) => Promise<void>) {
  const changed = new ChangeSignal();
  const told: string[] = [];
  const failures: number[] = [];
  let nowMs = 1_000_000;
  let count = 0;
  const keeper = new IdentityKeeper({
    async obtain(signal) {
      const number = ++count;
      await obtain(number, signal);
      return { apidServer: { certificate: `certificate ${number}`, key: '' }, acceptedCAs: [] };
    },
    publish: async ({ apidServer }: Identity) => {
      told.push(apidServer.certificate);
    },
    members: { current: () => [], nextChange: (signal) => changed.next(signal) },
    now: () => nowMs,
    log: createLogger({
      name: 'test',
      telemetry: noTelemetry,
      destination: {
        write: (line) => {
          const { failures: number } = JSON.parse(line) as { failures?: number };
          if (number !== undefined) failures.push(number);
        },
      },
    }),
    onIssued: () => told.push('issued'),
    onPublished: () => told.push('published'),
    checkIntervalMs: 5,
  });
  return {
    keeper,
    told,
    failures,
    changed,
    passTime: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('certificates are issued at the start and again after half of their life', async () => {
  const { keeper, told, passTime } = keeperOf(async () => {});
  await using _ = keeper;
  await sleep(30);
  assert.deepEqual(told.slice(0, 3), ['issued', 'certificate 1', 'published']);
  assert.ok(!told.includes('certificate 2'));
  passTime(12 * hourMs - 1);
  await sleep(30);
  assert.ok(!told.includes('certificate 2'));
  passTime(1);
  await sleep(30);
  assert.ok(told.includes('certificate 2'));
  assert.equal(told.filter((word) => word === 'issued').length, 2);
});

test('a change of the membership is published at once, with the certificates that are there', async () => {
  const { keeper, told, changed } = keeperOf(async () => {});
  await using _ = keeper;
  await sleep(2);
  told.length = 0;
  changed.notify();
  await sleep(2);
  assert.deepEqual(told.slice(0, 2), ['certificate 1', 'published']);
});

test('a failure is told and tried again', async () => {
  const { keeper, told, failures } = keeperOf(async (count) => {
    if (count === 1) throw new Fault('unauthenticated', 'invalid token');
  });
  await using _ = keeper;
  await sleep(100);
  assert.deepEqual([told, failures], [[], [1]]);
  await sleep(600);
  assert.deepEqual(told.slice(0, 3), ['issued', 'certificate 2', 'published']);
});

test('a change of the membership ends a request that hangs and begins a new one, which is no failure', async () => {
  const { keeper, told, failures, changed } = keeperOf((count, signal) =>
    count === 1
      ? new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        )
      : Promise.resolve(),
  );
  await using _ = keeper;
  await sleep(5);
  changed.notify();
  await sleep(20);
  assert.deepEqual(told.slice(0, 3), ['issued', 'certificate 2', 'published']);
  assert.deepEqual(failures, []);
});

test('the keeper ends while it waits for an answer', async () => {
  const { keeper } = keeperOf(
    (_count, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  );
  await sleep(2);
  await keeper[Symbol.asyncDispose]();
});
