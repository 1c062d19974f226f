import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { createRpcServer } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { newNote, notes, openMemoryState } from '../conformance/index.ts';
import { codecsOf } from '../meta/register.ts';
import type { State } from '../state.ts';
import { createStateService } from '../wire/state-service.ts';
import { dialState } from './dial-state.ts';
import { all, followState } from './follow-state.ts';

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });

async function serve(path: string, stateOf: () => State): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const service = createStateService({
    stateOf,
    codecs: codecsOf([notes]),
    now: () => 0,
    stopSignal: stop.signal,
  });
  const server = createRpcServer({ services: [service], telemetry: noTelemetry, log, drainTimeoutMs: 500 });
  await server.listenUnix(path);
  return {
    [Symbol.asyncDispose]() {
      stop.abort();
      return server[Symbol.asyncDispose]();
    },
  };
}

function follow(path: string) {
  const stop = new AbortController();
  const faults: string[] = [];
  const following = followState({
    followed: { notes: all(notes) },
    connect: (signal) => dialState(path, signal),
    signal: stop.signal,
    onBroken: ({ kind, message }) => faults.push(`${kind}: ${message.replace(path, '<path>')}`),
  });
  const next = async () => {
    const { value } = await following.next();
    return value?.view.notes.map(({ text }) => text) ?? 'nothing';
  };
  return {
    next,
    faults,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following.return();
    },
  };
}

test('dialState() follows a real server, reconnects after a restart, and supports long socket paths', async () => {
  await using scope = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'd'.repeat(120), 'state.sock');
  const following = scope.use(follow(path));
  assert.equal(await following.next(), 'nothing');
  assert.match(following.faults[0] ?? '', /^not-found: connect ENOENT <path>$|^unavailable: connect/);

  const first = openMemoryState();
  await first.create(newNote('a'));
  const server = await serve(path, () => first);
  assert.deepEqual(await following.next(), ['a']);
  await first.create(newNote('b'));
  assert.deepEqual(await following.next(), ['a', 'b']);

  await server[Symbol.asyncDispose]();
  const second = openMemoryState();
  await second.create(newNote('c'));
  scope.use(await serve(path, () => second));
  assert.deepEqual(await following.next(), ['c']);
});

test('dialState() reports the fault of a server that rejects the call', async () => {
  await using scope = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'state.sock');
  scope.use(
    await serve(path, () => {
      throw new Fault('unknown', 'access denied');
    }),
  );
  const following = scope.use(follow(path));
  assert.equal(await following.next(), 'nothing');
  assert.deepEqual(following.faults, ['unknown: access denied']);
});
