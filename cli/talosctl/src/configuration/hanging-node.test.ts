import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { NodeClient, TalosClient } from '@nodewright/client';
import type { CliEnvironment } from '../context/command-module.ts';
import { ReportedFailure } from '../context/failure.ts';
import { applyConfiguration } from './apply-options.ts';
import { activeConfiguration, checkKind, storedConfiguration } from './node-configuration.ts';

/** It keeps every call until the caller gives up. */
const hang = (_request: unknown, { signal }: { readonly signal: AbortSignal }) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
const calls = new Proxy({}, { get: (_, name) => (name === 'watch' || name === 'list' ? hangStream : hang) });
async function* hangStream(request: unknown, options: { readonly signal: AbortSignal }) {
  yield await hang(request, options);
}
const node = { name: 'node01', state: calls, machine: calls } as unknown as NodeClient;

function openEnvironment() {
  const stderr = new PassThrough();
  const env = {
    ...{ stdout: new PassThrough(), stderr, environment: {}, signal: new AbortController().signal },
  };
  return { env: env as unknown as CliEnvironment, shown: () => String(stderr.read() ?? '') };
}

const settled = async (work: Promise<unknown>) => {
  let isSettled = false;
  const done = () => {
    isSettled = true;
  };
  work.then(done, done);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  return isSettled;
};

test('a node that hangs keeps patch and edit for a limited time from the nodes after it', async (t) => {
  const { env, shown } = openEnvironment();
  const options = { mode: 'auto', timeout: 60_000_000_000n, dryRun: false } as const;
  const cases: readonly [() => Promise<unknown>, number, object][] = [
    [() => activeConfiguration(env, node), 30_000, { message: 'no answer within 30 s' }],
    [() => storedConfiguration(env, node), 30_000, { message: 'no answer within 30 s' }],
    [
      () => applyConfiguration(node, '', options, env.signal),
      300_000,
      { kind: 'deadline-exceeded', message: 'no answer within 300 s' },
    ],
    [
      () => checkKind(env, { targets: [node] } as unknown as TalosClient, 'mc', 'patched'),
      30_000,
      ReportedFailure,
    ],
  ];
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const [start, limitMs, expected] of cases) {
    const work = start();
    assert.equal(await settled(work), false);
    t.mock.timers.tick(limitMs - 1);
    assert.equal(await settled(work), false);
    t.mock.timers.tick(1);
    assert.equal(await settled(work), true);
    await assert.rejects(work, expected);
  }
  assert.match(shown(), /error from node node01: .*no answer within 30 s/);
});
