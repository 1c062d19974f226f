// Tests the load client of the benchmark against a server that gives known answers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { UnaryJob } from '../bench/load/load-job.ts';
import { openLoadClient } from '../bench/load/open-load-client.ts';
import { startStreamBackend } from '../bench/load/start-stream-backend.ts';

const reply = Buffer.from([0, 0, 0, 0, 3, 1, 2, 3]);
const method = '/bench.Service/Answer';

interface Answering extends AsyncDisposable {
  readonly path: string;
  readonly seen: { calls: number; inFlight: number; most: number };
}

/** Answers each call after `delayMs`; fails calls from number `failFrom` on with status 13. */
async function openServer(delayMs: number, failFrom = Number.POSITIVE_INFINITY): Promise<Answering> {
  const folder = mkdtempSync(join(tmpdir(), 'load-'));
  const path = join(folder, 'server.sock');
  const seen = { calls: 0, inFlight: 0, most: 0 };
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    seen.calls += 1;
    seen.inFlight += 1;
    seen.most = Math.max(seen.most, seen.inFlight);
    const status = seen.calls >= failFrom ? '13' : '0';
    stream.on('error', () => {});
    stream.resume();
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status, 'grpc-message': 'broken' }));
    setTimeout(() => {
      seen.inFlight -= 1;
      if (stream.destroyed) return;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.end(reply);
    }, delayMs);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    path,
    seen,
    async [Symbol.asyncDispose]() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function unaryJob(path: string, change: Partial<UnaryJob> = {}): UnaryJob {
  return {
    kind: 'unary',
    target: { kind: 'unix', path },
    method,
    metadata: [],
    streams: 1,
    connections: 1,
    warmupMs: 20,
    measureMs: 150,
    replyBytes: 3,
    watchedPids: [process.pid],
    ...change,
  };
}

test('the load client keeps the requested number of calls in flight and measures each of them', async () => {
  const delayMs = 10;
  await using server = await openServer(delayMs);
  await using client = openLoadClient();
  const { requests, durationMs, latency, cpuMs, loadCpuMs } = await client.run(
    unaryJob(server.path, { streams: 6, connections: 2 }),
  );
  assert.equal(server.seen.most, 6);
  assert.equal(server.seen.inFlight, 0);
  // A timer may fire slightly early, as seen by the clock of the other process.
  assert.ok(latency.p50 >= (delayMs - 1.5) * 1000, `p50 ${latency.p50} µs`);
  assert.ok(latency.p50 <= latency.p90 && latency.p90 <= latency.p99 && latency.p99 <= latency.max);
  assert.ok(requests >= 6 && requests <= (durationMs / (delayMs - 1.5) + 1) * 6, `${requests} requests`);
  assert.ok(requests < server.seen.calls, 'calls of the warm-up count nowhere');
  assert.ok((cpuMs[process.pid] ?? 0) > 0 && loadCpuMs > 0);
});

test('the load client fails at an unexpected answer, and continues with the next job', async () => {
  await using client = openLoadClient();
  await using failing = await openServer(1, 3);
  // The first answer ends the job. On a busy machine it comes late, and a job without one succeeds.
  const measureMs = 60_000;
  await assert.rejects(client.run(unaryJob(failing.path, { measureMs })), /grpc-status 13: broken/);
  await using healthy = await openServer(1);
  await assert.rejects(
    client.run(unaryJob(healthy.path, { replyBytes: 4, measureMs })),
    /8 bytes where 9 were expected/,
  );
  await assert.rejects(client.run(unaryJob(join(healthy.path, 'none'), { measureMs })), /ENOTDIR|ENOENT/);
  const { message } = await client.run({
    kind: 'probe',
    target: { kind: 'unix', path: healthy.path },
    method,
    metadata: [],
  });
  assert.deepEqual([...Buffer.from(message, 'base64')], [1, 2, 3]);
});

test('the load client reads a stream to its end, or reads slowly and cancels it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'load-'));
  try {
    const path = join(folder, 'stream.sock');
    const total = 40e6;
    await using _backend = await startStreamBackend(path, total, 32 * 1024);
    await using client = openLoadClient();
    const job = {
      kind: 'stream',
      target: { kind: 'unix', path },
      method,
      metadata: [],
      watchedPids: [],
    } as const;
    const messages = Math.ceil(total / (32 * 1024));
    assert.equal((await client.run(job)).bytes, messages * (32 * 1024 + 5));
    const slow = await client.run({ ...job, slow: { bytesPerSecond: 2e6, limitMs: 400 } });
    assert.ok(slow.durationMs >= 400 && slow.bytes < 10e6, `${slow.bytes} bytes in ${slow.durationMs} ms`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
