import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { fanOut, fanOutStream } from './fan-out.ts';

const nodes = ['slow', 'quick', 'broken'].map((name) => ({ name }));

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

test('fanOut() yields results in order of completion, failures included', async () => {
  const gates = { slow: gate(), quick: gate(), broken: gate() };
  const seen: string[] = [];
  gates.quick.open();
  const call = async ({ name }: { name: string }) => {
    await gates[name as keyof typeof gates].opened;
    if (name === 'broken') throw new Fault('unavailable', 'no route');
    return name.length;
  };
  for await (const { node, value, fault } of fanOut(nodes, call)) {
    seen.push(`${node}: ${fault?.message ?? value}`);
    if (node === 'quick') gates.broken.open();
    if (node === 'broken') gates.slow.open();
  }
  assert.deepEqual(seen, ['quick: 5', 'broken: no route', 'slow: 4']);
});

test('fanOut() ends at once when there are no nodes', async () => {
  assert.deepEqual(await Array.fromAsync(fanOut([], async () => 1)), []);
});

test('fanOut() cancels the calls in progress when the loop is left', async () => {
  const aborted: string[] = [];
  const call = ({ name }: { name: string }, signal: AbortSignal) =>
    name === 'quick'
      ? Promise.resolve(name)
      : new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(name);
            reject(signal.reason);
          });
        });
  for await (const { node } of fanOut(nodes, call)) {
    assert.equal(node, 'quick');
    break;
  }
  assert.deepEqual(aborted, ['slow', 'broken']);
});

test('fanOut() reports calls that an outer signal cancelled', async () => {
  const stop = new AbortController();
  const call = (_: unknown, signal: AbortSignal) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  setImmediate(() => stop.abort());
  const kinds = [];
  for await (const { fault } of fanOut(nodes, call, { signal: stop.signal })) kinds.push(fault?.kind);
  assert.deepEqual(kinds, ['cancelled', 'cancelled', 'cancelled']);
});

test('fanOutStream() yields the items of a node in order, and its failure last', async () => {
  async function* open({ name }: { name: string }) {
    yield `${name} 1`;
    if (name === 'broken') throw new Fault('unavailable', 'cut');
    yield `${name} 2`;
  }
  const byNode: Record<string, unknown[]> = { slow: [], quick: [], broken: [] };
  for await (const { node, value, fault } of fanOutStream(nodes, open)) {
    byNode[node]?.push(fault?.message ?? value);
  }
  assert.deepEqual(byNode, {
    slow: ['slow 1', 'slow 2'],
    quick: ['quick 1', 'quick 2'],
    broken: ['broken 1', 'cut'],
  });
});

test('fanOutStream() reads the next item of a node only after the previous one was consumed', async () => {
  let produced = 0;
  async function* open() {
    for (;;) {
      produced += 1;
      yield produced;
    }
  }
  let taken = 0;
  for await (const _ of fanOutStream([{ name: 'fast' }], open)) {
    taken += 1;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(produced, taken);
    if (taken === 5) break;
  }
});
