import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timers } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { strFromU8, unzipSync } from 'fflate';
import { ArchiveWriter } from './archive-writer.ts';
import { collectNode } from './collect-node.ts';
import { KnownSecrets } from './secret-filter.ts';

/** Timers that fire when the test says so. */
class HeldTimers implements Timers {
  readonly #actions = new Set<{ readonly delayMs: number; readonly action: () => void }>();

  now = () => 0;
  monotonicMs = () => 0;

  get running(): number {
    return this.#actions.size;
  }

  after(delayMs: number, action: () => void): Disposable {
    const timer = { delayMs, action };
    this.#actions.add(timer);
    return { [Symbol.dispose]: () => this.#actions.delete(timer) };
  }

  fire(): void {
    for (const timer of [...this.#actions]) {
      this.#actions.delete(timer);
      timer.action();
    }
  }
}

type Method = (request: object, options: { readonly signal: AbortSignal }) => unknown;

/** A node that does not implement most calls. */
function nodeWith(methods: Readonly<Record<string, Method>>): NodeClient {
  const missing = () => {
    throw new Fault('unimplemented', 'not implemented');
  };
  const client = new Proxy({}, { get: (_, name) => methods[String(name)] ?? missing });
  return {
    ...{ name: 'node01', machine: client, state: client, inspect: client, time: client },
    service: () => client,
  } as unknown as NodeClient;
}

/** A call that is never answered, as by a frozen daemon. It notes whether it was cancelled. */
const frozen = (cancelled: string[], name: string): Method => {
  return (_, { signal }) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => {
      cancelled.push(name);
      reject(signal.reason);
    });
    return Object.assign(promise, {
      [Symbol.asyncIterator]: () => ({ next: () => promise }),
    });
  };
};

function collect(node: NodeClient) {
  const pieces: Uint8Array[] = [];
  const sink = {
    sizeBytes: 0,
    async write(bytes: Uint8Array) {
      pieces.push(Uint8Array.from(bytes));
    },
  };
  const archive = new ArchiveWriter(sink, new Date(2026, 0, 10));
  const timers = new HeldTimers();
  const interrupt = new AbortController();
  const collected = collectNode({
    ...{ node, archive, timers, secrets: new KnownSecrets(), workers: 1, signal: interrupt.signal },
    ...{ now: () => new Date(0), onProgress: () => {} },
  });
  const files = async () => {
    await archive.finish();
    return Object.fromEntries(
      Object.entries(unzipSync(Buffer.concat(pieces))).map(([name, bytes]) => [name, strFromU8(bytes)]),
    );
  };
  return { collected, timers, interrupt, files };
}

test('collectNode() gives up a node that answers nothing, cancels its calls and reports one line', async () => {
  const cancelled: string[] = [];
  const names = ['list', 'serviceList', 'containers'];
  const node = nodeWith(Object.fromEntries(names.map((name) => [name, frozen(cancelled, name)])));
  const { collected, timers } = collect(node);
  await eventually(() => timers.running === 3, { what: 'three calls' });
  timers.fire();
  const { files, failures } = await collected;
  assert.deepEqual(
    [files, failures.map(({ source, fault }) => [source, fault.kind, fault.message])],
    [0, [['everything', 'deadline-exceeded', 'no data for 30s']]],
  );
  assert.deepEqual([cancelled.sort(), timers.running], [names.sort(), 0]);
});

/** The kernel log comes in two pieces, and then nothing. */
const nodeThatFreezes = (cancelled: string[]) =>
  nodeWith({
    async *dmesg(_, { signal }) {
      yield { bytes: Buffer.from('one\n') };
      yield { bytes: Buffer.from('two\n') };
      const call = frozen(cancelled, 'dmesg')({}, { signal });
      yield* call as AsyncIterable<never>;
    },
  });

test('collectNode() keeps what a source sent before it was silent, and goes on with the others', async () => {
  const cancelled: string[] = [];
  const { collected, timers, files } = collect(nodeThatFreezes(cancelled));
  await eventually(() => timers.running === 1, { what: 'a silent source' });
  timers.fire();
  const { failures, absent } = await collected;
  assert.deepEqual(
    failures.map(({ source, fault }) => [source, fault.kind]),
    [['dmesg.log', 'deadline-exceeded']],
  );
  assert.ok(absent.includes('netstat'), 'the sources behind it were tried');
  assert.equal((await files())['node01/dmesg.log'], 'one\ntwo\n');
});

test('collectNode() that is interrupted keeps what it has, and says that the rest is missing', async () => {
  const cancelled: string[] = [];
  const { collected, timers, interrupt, files } = collect(nodeThatFreezes(cancelled));
  await eventually(() => timers.running === 1, { what: 'a silent source' });
  interrupt.abort();
  const { failures } = await collected;
  assert.deepEqual(
    failures.map(({ source, fault }) => [source, fault.kind, fault.message]),
    [['everything else', 'cancelled', 'interrupted']],
  );
  assert.deepEqual([cancelled, timers.running], [['dmesg'], 0]);
  assert.equal((await files())['node01/dmesg.log'], 'one\ntwo\n');
});
