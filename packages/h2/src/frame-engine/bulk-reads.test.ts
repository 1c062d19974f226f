import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { dialUnix } from '../dial-unix.ts';
import { gatewayLimits } from '../engine.ts';
import { BulkReads, collectEveryBytes } from './bulk-reads.ts';
import { createFrameEngine } from './frame-engine.ts';

const kib = 1024;

test('BulkReads collects after a turn once large reads have taken their share of memory, and never for small reads', () => {
  const reads = fc.array(fc.tuple(fc.integer({ min: 1, max: 2048 }), fc.boolean()), { maxLength: 200 });
  fc.assert(
    fc.property(reads, (steps) => {
      let collections = 0;
      const bulk = new BulkReads(() => {
        collections += 1;
      });
      let bytes = 0;
      let expected = 0;
      for (const [size, endsTurn] of steps) {
        bulk.count(size * kib);
        if (size >= 8) bytes += size * kib;
        assert.equal(collections, expected, 'nothing is collected within a turn');
        if (!endsTurn) continue;
        if (bytes >= collectEveryBytes) {
          expected += 1;
          bytes = 0;
        }
        bulk.afterTurn();
        assert.equal(collections, expected);
      }
    }),
  );
});

test('the frame engine collects while a long body arrives, and not for many small calls', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-'));
  let collections = 0;
  const engine = createFrameEngine({
    collectNewObjects() {
      collections += 1;
    },
  });
  const server = createServer((socket) => {
    createFrameEngine().accept(socket, gatewayLimits, {
      onCall(call) {
        call.receive({ requestData() {}, requestEnded() {}, answerDrained: send, cancelled() {} });
        call.respond([':status', '200']);
        let left = call.path === '/long' ? 4 * collectEveryBytes : kib;
        const chunkBytes = Math.min(left, 64 * kib);
        function send(): void {
          while (left > 0) {
            left -= chunkBytes;
            if (!call.write(Buffer.alloc(chunkBytes))) return;
          }
          call.finish(['grpc-status', '0']);
        }
        send();
      },
      onError() {},
    });
  });
  try {
    const path = join(folder, 'socket');
    await once(server.listen(path), 'listening');
    const connection = engine.connect(await dialUnix(path, new AbortController().signal), gatewayLimits);
    const callOnce = (callPath: string) =>
      new Promise<number>((resolve, reject) => {
        let received = 0;
        const call = connection.openCall([':method', 'POST', ':scheme', 'http', ':path', callPath], {
          answerHeaders() {},
          answerData(chunk) {
            received += chunk.length;
          },
          answerEnded: () => resolve(received),
          requestDrained() {},
          failed: (failure) => reject(new Error(failure.kind)),
        });
        call?.resume();
        call?.end();
      });
    for (let made = 0; made < 100; made += 1) await callOnce('/short');
    assert.equal(collections, 0);
    assert.equal(await callOnce('/long'), 4 * collectEveryBytes);
    // Not every read is large.
    assert.ok(collections >= 2 && collections <= 4, `${collections} collections`);
    connection.destroy();
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
