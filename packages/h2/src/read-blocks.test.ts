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
import { type ClientConnection, gatewayLimits, type H2Engine, type H2Limits } from './engine.ts';
import { ByteQueue } from './frame-engine/byte-queue.ts';
import { createFrameEngine } from './frame-engine/frame-engine.ts';
import { randomFrom, testSeed } from './frame-engine/testing/seed.ts';
import { messagePrefix } from './message-collector.ts';
import { nodeEngine } from './node-engine/node-engine.ts';
import { Pump } from './pump.ts';
import { blockOf, keptPart, type ReadBlock, ReadBlocks, readBlockBytes } from './read-blocks.ts';

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
  assert.equal(blocks.lent, 1);
  assert.equal(blocks.take(), block);
  assert.equal(block.isShared, false);
  assert.equal(blocks.lent, 2);
});

test('a megabyte of free blocks is kept', () => {
  const blocks = new ReadBlocks();
  const all = Array.from({ length: 40 }, () => blocks.take());
  for (const block of all) block.release();
  const again = Array.from({ length: 40 }, () => blocks.take());
  const kept = again.filter((block) => all.includes(block));
  assert.equal(kept.length * readBlockBytes, 1024 * 1024);
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

test('ByteQueue copies what is in a block, however large it is', () => {
  const block = new ReadBlocks().take();
  const queue = new ByteQueue();
  for (const size of [1, 2000, readBlockBytes / 2]) {
    block.memory.fill(1);
    queue.push(block.memory.subarray(0, size));
    block.memory.fill(2);
    // Not deepEqual(): it takes minutes to describe how such chunks differ.
    assert.ok(queue.take(size).equals(Buffer.alloc(size, 1)), `${size} bytes`);
  }
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

/** A gateway before a backend, on unix sockets, with one connection between them that reads into `blocks`. */
async function openGateway(blocks: ReadBlocks, random: (below: number) => number) {
  await using scope = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'blocks-'));
  scope.defer(() => rmSync(folder, { recursive: true }));
  const engine = createFrameEngine();
  const accepted = new Set<Socket>();
  const listen = async (name: string, onCall: (call: InboundCall) => void) => {
    const path = join(folder, name);
    const server = createServer((socket) => {
      accepted.add(socket);
      engine.accept(socket, gatewayLimits, { onCall, onError() {} });
    });
    scope.defer(() => {
      server.close();
      for (const socket of accepted) socket.destroy();
    });
    await once(server.listen(path), 'listening');
    return path;
  };
  const { signal } = new AbortController();
  const backend = await listen('backend', (call) => answerBody(call, random));
  const socket = await connected(connectUnix(backend, blocks), 'connect', signal);
  const upstream = engine.connect(socket, gatewayLimits);
  scope.defer(() => upstream.destroy());
  const gateway = await listen('gateway', (inbound) => {
    const describe = ({ kind }: { kind: string }) => ({ code: 13, message: kind });
    const pump = new Pump({ inbound, maxMessageBytes: mostBytes, describe, onDone() {} });
    pump.start(upstream, inbound.headers);
  });
  const owned = scope.move();
  return {
    /** A connection to the gateway. */
    async connect(client: H2Engine, limits: H2Limits) {
      const socket = await connected(connect(gateway), 'connect', signal);
      const connection = client.connect(socket, limits);
      owned.defer(() => connection.destroy());
      await connection.ready;
      return { socket, connection };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const requestOf = (index: number, size: number) => [
  ...[':method', 'POST', ':scheme', 'http', ':path', `/${index}/${size}`, ':authority', 'a'],
  ...['content-type', 'application/grpc', 'te', 'trailers'],
];

/** Makes a call, and compares what it gets; some calls read slowly, or are cancelled. */
function checkedCall(
  connection: ClientConnection,
  index: number,
  random: (below: number) => number,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const size = random(4) === 0 ? random(300) : random(mostBytes);
    const cancelAt = random(8) === 0 ? random(size + 1) : Number.POSITIVE_INFINITY;
    const isSlow = random(3) === 0;
    const chunks: Buffer[] = [];
    let received = 0;
    const compare = () => {
      const body = Buffer.concat(chunks).subarray(5);
      if (body.equals(bodyOf(index, size).subarray(0, body.length))) resolve();
      else reject(new Error(`the ${size} bytes of call ${index} are not its own`));
    };
    const call = connection.openCall(requestOf(index, size), {
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
  });
}

const smallWindows = { ...gatewayLimits, streamWindowBytes: 65_536, connectionWindowBytes: 262_144 };

for (const client of [createFrameEngine(), nodeEngine]) {
  test(`${calls} calls of ${client.name} through one connection to a backend, with slow readers and cancels, get their own bytes (H2_SEED=${seed})`, async () => {
    const random = randomFrom(seed);
    let reused = 0;
    // If the gateway still sends from a free block, the client gets bytes that no call has.
    const blocks = new ReadBlocks((memory) => {
      reused += 1;
      memory.fill(0xff);
    });
    await using gateway = await openGateway(blocks, random);
    const { connection } = await gateway.connect(client, smallWindows);
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < calls; index = next++) await checkedCall(connection, index, random);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    assert.ok(reused > 0, 'blocks were used again');
  });
}

test(`clients that read nothing hold few blocks, however much others get meanwhile (H2_SEED=${seed})`, async () => {
  const random = randomFrom(seed);
  const blocks = new ReadBlocks();
  await using gateway = await openGateway(blocks, random);
  const engine = createFrameEngine();
  const silent = await gateway.connect(engine, gatewayLimits);
  const busy = await gateway.connect(engine, gatewayLimits);
  silent.socket.pause();
  for (let index = 0; index < 200; index += 1) {
    const call = silent.connection.openCall(requestOf(index, 3000), {
      answerHeaders() {},
      answerData() {},
      answerEnded() {},
      requestDrained() {},
      failed() {},
    });
    call?.resume();
    call?.end();
    await checkedCall(busy.connection, 1000 + index, random);
  }
  // What waits for the silent client, and what the connection to the backend reads into.
  assert.ok(blocks.lent <= 5, `${blocks.lent} blocks`);
});
