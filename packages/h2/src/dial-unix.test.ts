import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openUnixPath } from '@nodewright/files';
import { dialUnix } from './dial-unix.ts';

test('a socket below a folder of 250 characters can be served and dialled', async () => {
  const base = mkdtempSync(join(tmpdir(), 'h2-'));
  const path = join(base, 'f'.repeat(120), 'g'.repeat(120), 'a.sock');
  mkdirSync(join(path, '..'), { recursive: true });
  const server = createServer((socket) => socket.end('hello'));
  {
    using address = openUnixPath(path);
    server.listen(address.path);
    await once(server, 'listening');
  }
  const socket = await dialUnix(path, AbortSignal.timeout(60_000));
  socket.setEncoding('utf8');
  assert.deepEqual(await once(socket, 'data'), ['hello']);
  socket.destroy();
  server.close();
  rmSync(base, { recursive: true });
});

test('dialUnix() names the given path when there is no socket', async () => {
  for (const path of ['/nonexistent/a.sock', `/nonexistent/${'x'.repeat(200)}/a.sock`]) {
    await assert.rejects(dialUnix(path, AbortSignal.timeout(60_000)), {
      code: 'ENOENT',
      message: `connect ENOENT ${path}`,
    });
  }
});

test('a dialled socket delivers every byte in order, whatever the sizes of the reads and the pauses', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'h2-'));
  const path = join(folder, 'a.sock');
  const sent = randomBytes(3_000_000);
  const server = createServer((socket) => void sendInPieces(socket, sent));
  server.listen(path);
  await once(server, 'listening');
  const socket = await dialUnix(path, AbortSignal.timeout(60_000));
  // Nobody listens yet: what arrives now must wait.
  await sleep(20);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    if (received.length % 7 !== 0) return;
    socket.pause();
    setImmediate(() => socket.resume());
  });
  await once(socket, 'end');
  assert.ok(Buffer.concat(received).equals(sent));
  socket.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Pieces of 1, 7, 49, … bytes, so that there are small and large reads. */
async function sendInPieces(socket: Socket, bytes: Buffer): Promise<void> {
  let at = 0;
  for (let size = 1; at < bytes.length; size = size > 400_000 ? 1 : size * 7) {
    if (!socket.write(bytes.subarray(at, at + size))) await once(socket, 'drain');
    else await sleep(1);
    at += size;
  }
  socket.end();
}
