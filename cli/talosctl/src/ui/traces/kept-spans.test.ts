import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { spansSocket } from '@nodewright/provision/spans';
import { type KeptLimits, KeptSpans } from './kept-spans.ts';
import { isTraceId } from './trace-source.ts';

const { signal } = new AbortController();

interface SentSpan {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parent?: string;
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A field of a protobuf message that has a length. Source: Protocol Buffers: encoding. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), bytes]);
}

const keyValue = (key: string, value: string) => Buffer.concat([field(1, key), field(2, field(1, value))]);

/** An export request with one span. */
function exportRequest(service: string, sent: SentSpan): Buffer {
  const {
    traceId = 'a'.repeat(32),
    spanId = 'b'.repeat(16),
    parent = '',
    name = 'x',
    attributes = {},
  } = sent;
  const ids = [traceId, spanId, '', parent].map((id, at) => field(at + 1, Buffer.from(id, 'hex')));
  const texts = Object.entries(attributes).map(([key, value]) => field(9, keyValue(key, value)));
  const span = Buffer.concat([...ids, field(5, name), ...texts]);
  const resource = field(1, field(1, keyValue('service.name', service)));
  return field(1, Buffer.concat([resource, field(2, field(2, span))]));
}

/** A supervisor that gives out these requests, and its folder. */
async function openSupervisor(batches: readonly Buffer[], answer?: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const frames = batches.map((bytes, at) => {
    const head = Buffer.alloc(13);
    head.writeBigUInt64BE(BigInt(at + 1));
    head.writeUInt32BE(bytes.length, 8);
    head.writeUInt8(6, 12);
    return Buffer.concat([head, Buffer.from('node01'), bytes]);
  });
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (asked) => {
        const after = Number.parseInt(String(asked), 10);
        socket.end(answer ?? Buffer.concat(frames.slice(Math.min(after, frames.length))));
      });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, spansSocket), resolve));
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readTraces(batches: readonly Buffer[], limits?: KeptLimits) {
  await using supervisor = await openSupervisor(batches);
  const kept = new KeptSpans(supervisor.folder, limits);
  await kept.traces(signal);
  // A second reading takes nothing twice.
  return new Map(await kept.traces(signal));
}

const traceId = (count: number) => count.toString(16).padStart(32, '0');

test('spans are read once, with their program and their node', async () => {
  const traces = await readTraces([exportRequest('apid', { name: 'machine.MachineService/Memory' })]);
  const [span, ...others] = traces.get('a'.repeat(32)) ?? [];
  assert.deepEqual(
    [span?.name, span?.service, span?.node, span?.id, others.length],
    ['machine.MachineService/Memory', 'apid', 'node01', 'b'.repeat(16), 0],
  );
});

test('long and many texts of a span are cut', async () => {
  const long = 'x'.repeat(5000);
  const attributes = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at}-${long}`, long]));
  const traces = await readTraces([
    exportRequest(long, { name: long, attributes: { ...attributes, ['__proto__']: 'evil' } }),
  ]);
  const [span] = traces.get('a'.repeat(32)) ?? [];
  assert.ok(span !== undefined);
  assert.deepEqual(
    [span.name.length, span.service.length, Object.keys(span.attributes).length],
    [2001, 2001, 100],
  );
  assert.ok(
    Object.entries(span.attributes).every(
      ([key, value]) => key.length <= 2001 && String(value).length <= 2001,
    ),
  );
  assert.equal(Object.getPrototypeOf(span.attributes), Object.prototype);
});

test('the oldest traces go when there are too many spans, or too much text in them', async () => {
  const batches = Array.from({ length: 20 }, (_, at) =>
    exportRequest('apid', { traceId: traceId(at + 1), name: 'n'.repeat(1000) }),
  );
  const newest = Array.from({ length: 5 }, (_, at) => traceId(16 + at));
  assert.deepEqual([...(await readTraces(batches, { spans: 5, characters: 1e9 })).keys()], newest);
  const few = [...(await readTraces(batches, { spans: 1000, characters: 6000 })).keys()];
  assert.deepEqual(few, newest.slice(-few.length));
  assert.ok(few.length > 0 && few.length <= 5, `${few.length} traces`);
  const one = Array.from({ length: 20 }, (_, at) => exportRequest('apid', { spanId: traceId(at).slice(16) }));
  assert.ok(((await readTraces(one, { spans: 5, characters: 1e9 })).get('a'.repeat(32))?.length ?? 0) <= 5);
});

test('what is no export request, or has ids of another form, is left out', async () => {
  const traces = await readTraces([
    Buffer.from('no protobuf at all'),
    Buffer.alloc(1000, 0xff),
    Buffer.alloc(0),
    exportRequest('apid', { traceId: '' }),
    exportRequest('apid', { traceId: 'ab'.repeat(1000) }),
    exportRequest('apid', { spanId: 'cd'.repeat(100_000) }),
    exportRequest('apid', { parent: 'ef'.repeat(100_000) }),
    exportRequest('apid', { traceId: traceId(7), name: 'good' }),
  ]);
  assert.deepEqual([...traces.keys()].filter(isTraceId), [traceId(7)]);
  assert.equal(traces.size, 1);
});

test('an answer that is cut off, or longer than a supervisor may send, ends the reading', async () => {
  const head = Buffer.alloc(13);
  head.writeBigUInt64BE(1n);
  head.writeUInt32BE(0xffff_ffff, 8);
  await using cut = await openSupervisor([], head);
  assert.equal((await new KeptSpans(cut.folder).traces(signal)).size, 0);
  await using flood = await openSupervisor([], Buffer.alloc(40 * 1024 * 1024));
  await assert.rejects(new KeptSpans(flood.folder).traces(signal), {
    kind: 'unavailable',
    message: /more than/,
  });
});
