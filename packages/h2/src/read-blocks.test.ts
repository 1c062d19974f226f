// Memory of reads that is used again must never show the bytes of one call in another one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { InboundCall } from './call.ts';
import { answerHead } from './conformance/index.ts';
import { connectUnix } from './connect-unix.ts';
import { connected } from './dial-unix.ts';
import { gatewayLimits } from './engine.ts';
import { createFrameEngine } from './frame-engine/frame-engine.ts';
import { randomFrom, testSeed } from './frame-engine/testing/seed.ts';
import { messagePrefix } from './message-collector.ts';
import { nodeEngine } from './node-engine/node-engine.ts';
import { Pump } from './pump.ts';
import { blockBytes, blockOf, keptPart, type ReadBlock, ReadBlocks } from './read-blocks.ts';

const seed = testSeed();
const calls = 300;
const inFlight = 20;
const mostBytes = 200_000;

test('a block is free after its last hold, and then the next to be taken', () => {
  const freed: Buffer[] = [];
  const blocks = new ReadBlocks((memory) => freed.push(memory));
  const block = blocks.take();
  assert.equal(block.isShared, false);
  block.hold();
  assert.equal(block.isShared, true);
  block.release();
  assert.deepEqual(freed, []);
  assert.notEqual(blocks.take(), block);
  block.release();
  assert.deepEqual(freed, [block.memory]);
  assert.equal(blocks.take(), block);
  assert.equal(block.isShared, false);
});

test('a megabyte of free blocks is kept', () => {
  const blocks = new ReadBlocks();
  const all = Array.from({ length: 40 }, () => blocks.take());
  for (const block of all) block.release();
  const again = Array.from({ length: 40 }, () => blocks.take());
  const kept = again.filter((block) => all.includes(block));
  assert.equal(kept.length * blockBytes, 1024 * 1024);
  assert.equal(new Set(again).size, again.length);
});

test('blockOf() knows a block by any part of it, and keptPart() copies only that', () => {
  const block: ReadBlock = new ReadBlocks().take();
  assert.equal(blockOf(block.memory.subarray(100, 110).subarray(5)), block);
  const kept = keptPart(block.memory.fill(1), 10, 20);
  block.memory.fill(2);
  assert.deepEqual(kept, Buffer.alloc(10, 1));
  const other = Buffer.alloc(100);
  assert.equal(blockOf(other), undefined);
  assert.equal(keptPart(other, 0, 100), other);
  assert.equal(keptPart(other, 10, 20).buffer, other.buffer);
});

/** The bytes of a call: no other call has the same, wherever one looks. */
function bodyOf(index: number, size: number): Buffer {
  const body = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) body.writeUInt32LE(index * 0x10000 + (at >>> 2), at);
  return body;
}

/** Answers `/<index>/<bytes>` with one message of so many bytes, in chunks of any size. */
function answerBody(call: InboundCall, random: (below: number) => number): void {
  const [, index, bytes] = call.path.split('/').map(Number) as [number, number, number];
  const message = Buffer.concat([messagePrefix(bytes), bodyOf(index, bytes)]);
  let at = 0;
  const send = () => {
    while (at < message.length) {
      const end = Math.min(message.length, at + 1 + random(random(2) === 0 ? 2000 : 80_000));
      const hasRoom = call.write(message.subarray(at, end));
      at = end;
      if (!hasRoom) return;
    }
    call.finish(['grpc-status', '0']);
  };
  call.receive({ requestData() {}, requestEnded() {}, answerDrained: send, cancelled() {} });
  call.resume();
  call.respond(answerHead);
  send();
}

for (const client of [createFrameEngine(), nodeEngine]) {
  test(`${calls} calls of ${client.name} through one connection to a backend, with slow readers and cancels, get their own bytes (H2_SEED=${seed})`, async () => {
    const random = randomFrom(seed);
    const folder = mkdtempSync(join(tmpdir(), 'blocks-'));
    const engine = createFrameEngine();
    const sockets = new Set<Socket>();
    const listen = async (name: string, onCall: (call: InboundCall) => void) => {
      const path = join(folder, name);
      const server = createServer((socket) => {
        sockets.add(socket);
        engine.accept(socket, gatewayLimits, { onCall, onError() {} });
      });
      await once(server.listen(path), 'listening');
      return { path, server };
    };
    const backend = await listen('backend', (call) => answerBody(call, random));
    let reused = 0;
    // Whoever still looks at a free block sees bytes that no call has.
    const blocks = new ReadBlocks((memory) => {
      reused += 1;
      memory.fill(0xff);
    });
    const { signal } = new AbortController();
    const upstream = engine.connect(
      await connected(connectUnix(backend.path, blocks), 'connect', signal),
      gatewayLimits,
    );
    const gateway = await listen('gateway', (inbound) => {
      const pump = new Pump({
        inbound,
        maxMessageBytes: mostBytes,
        describe: ({ kind }) => ({ code: 13, message: kind }),
        onDone() {},
      });
      pump.start(upstream, inbound.headers);
    });
    const limits = { ...gatewayLimits, streamWindowBytes: 65_536, connectionWindowBytes: 262_144 };
    const connection = client.connect(await connected(connect(gateway.path), 'connect', signal), limits);
    await connection.ready;

    const callOnce = (index: number) =>
      new Promise<void>((resolve, reject) => {
        const size = random(4) === 0 ? random(300) : random(mostBytes);
        const cancelAt = random(8) === 0 ? random(size + 1) : Number.POSITIVE_INFINITY;
        const isSlow = random(3) === 0;
        const chunks: Buffer[] = [];
        let received = 0;
        const headers = [
          ...[':method', 'POST', ':scheme', 'http', ':path', `/${index}/${size}`, ':authority', 'a'],
          ...['content-type', 'application/grpc', 'te', 'trailers'],
        ];
        const call = connection.openCall(headers, {
          answerHeaders() {},
          answerData(chunk) {
            chunks.push(Buffer.from(chunk));
            received += chunk.length;
            if (received >= cancelAt) {
              call?.reset(8);
              compare();
            } else if (isSlow) {
              call?.pause();
              setTimeout(() => call?.resume(), random(5));
            }
          },
          answerEnded(trailers) {
            if (trailers.join() !== 'grpc-status,0' || received !== size + 5)
              reject(new Error(`${received} of ${size + 5} bytes, ${trailers.join()}`));
            compare();
          },
          requestDrained() {},
          failed: ({ kind }) => reject(new Error(kind)),
        });
        call?.resume();
        call?.end();
        const compare = () => {
          const body = Buffer.concat(chunks).subarray(5);
          if (body.equals(bodyOf(index, size).subarray(0, body.length))) resolve();
          else reject(new Error(`the ${size} bytes of call ${index} are not its own`));
        };
      });
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < calls; index = next++) await callOnce(index);
    };
    try {
      await Promise.all(Array.from({ length: inFlight }, worker));
      assert.ok(reused > 0, 'blocks were used again');
    } finally {
      connection.destroy();
      upstream.destroy();
      for (const socket of sockets) socket.destroy();
      backend.server.close();
      gateway.server.close();
      rmSync(folder, { recursive: true });
    }
  });
}
