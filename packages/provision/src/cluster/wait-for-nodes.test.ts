import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { type AwaitedNode, waitForNodes } from './wait-for-nodes.ts';

const node = (name: string, isDirect: boolean): AwaitedNode => ({
  name,
  address: `address of ${name}`,
  endpoint: 'gateway',
  isDirect,
  listener: undefined,
  log: `log of ${name}`,
});

test('waitForNodes() targets each node by address, and returns the commits in the order of the nodes', async () => {
  let refusals = 3;
  const commits = await waitForNodes({
    nodes: [node('node01', true), node('node02', false)],
    probe: {
      async version(_endpoint, asked) {
        if (asked === undefined && refusals-- > 0) throw new Fault('unavailable', 'not yet');
        return asked ?? 'own';
      },
      async [Symbol.asyncDispose]() {},
    },
    watch: async () => undefined,
    silenceMs: 10_000,
    longestMs: 10_000,
    signal: new AbortController().signal,
  });
  assert.deepEqual(commits, ['own', 'address of node02']);
});

/** Timers of which `advance()` runs the pending ones. */
function testTimers(): Timers & { advance(): void } {
  const pending = new Set<() => void>();
  return {
    now: () => 0,
    monotonicMs: () => 0,
    after(_delayMs, action) {
      pending.add(action);
      return { [Symbol.dispose]: () => pending.delete(action) };
    },
    advance() {
      const actions = [...pending];
      pending.clear();
      for (const action of actions) action();
    },
  };
}

/** Waits for a node that never answers, with a log in a file, for 3 s of silence and 60 s in all. */
async function waitForSilent(
  use: (timers: ReturnType<typeof testTimers>, log: string) => void,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'wait-for-nodes-'));
  const log = join(folder, 'node.log');
  writeFileSync(log, '');
  const timers = testTimers();
  const called = Promise.withResolvers<void>();
  try {
    const waiting = waitForNodes({
      nodes: [{ ...node('node01', true), log }],
      probe: {
        async version() {
          called.resolve();
          throw new Fault('unavailable', 'refused');
        },
        async [Symbol.asyncDispose]() {},
      },
      watch: async () => undefined,
      ...{ silenceMs: 3_000, longestMs: 60_000, timers },
      signal: new AbortController().signal,
    });
    const failed = waiting.then(
      () => assert.fail('the node does not answer'),
      (error: Fault) => error.message.replace(log, 'LOG'),
    );
    await called.promise;
    // The reason is written down after the call has failed.
    await new Promise((resolve) => setImmediate(resolve));
    use(timers, log);
    return await failed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('waitForNodes() gives up when nothing has moved for the time of silence', async () => {
  const message = await waitForSilent((timers) => {
    for (let second = 0; second < 4; second++) timers.advance();
  });
  assert.match(
    message,
    /^no answer from node01 within [34]s, the last 3s without progress; node01: refused \(log: LOG\)$/,
  );
});

test('waitForNodes() goes on while a node writes to its log, up to the longest time', async () => {
  const message = await waitForSilent((timers, log) => {
    for (let second = 0; second < 60; second++) {
      appendFileSync(log, 'a line\n');
      timers.advance();
    }
  });
  assert.equal(message, 'no answer from node01 within 60s; node01: refused (log: LOG)');
});
