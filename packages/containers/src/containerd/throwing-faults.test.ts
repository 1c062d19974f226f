import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VersionDefinition } from '@nodewright/contract/gen/containerd/services/version/v1/version.ts';
import { Fault } from '@nodewright/fault';
import type { Client } from 'nice-grpc';
import { callLimitMs } from './call-limits.ts';
import { throwingFaults } from './throwing-faults.ts';

type Options = { readonly signal?: AbortSignal };

/** Accepts every call and answers none, like a containerd that was stopped; ends with the call. */
function hanging(ready = async () => {}): Client<typeof VersionDefinition> {
  const version = (_: unknown, { signal }: Options = {}) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  return throwingFaults({
    definition: VersionDefinition,
    client: { version } as unknown as Client<typeof VersionDefinition>,
    ready,
    limitMsOf: () => 50,
  });
}

const never = () => new Promise<void>(() => {});
const isFault = (kind: string, words: RegExp) => (error: unknown) =>
  error instanceof Fault && error.kind === kind && words.test(error.message);

test('a call that containerd does not answer ends at its limit, and the fault names it', async () => {
  const late = isFault('deadline-exceeded', /has not answered Version\/Version within 0\.05s/);
  await assert.rejects(hanging().version({}), late);
  await assert.rejects(hanging(never).version({}), late);
});

test('a call that waits for subscriptions ends with its signal', async () => {
  const stop = new AbortController();
  const call = hanging(never).version({}, { signal: stop.signal });
  stop.abort();
  await assert.rejects(call, isFault('cancelled', /cancelled/));
});

test('callLimitMs() sets no limit for the wait for a task only', () => {
  assert.equal(callLimitMs('Tasks/Wait'), Number.POSITIVE_INFINITY);
  assert.equal(callLimitMs('Tasks/Get'), 60_000);
  assert.ok(callLimitMs('Diff/Apply') > callLimitMs('Tasks/Create'));
});
