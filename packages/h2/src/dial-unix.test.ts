import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
  const socket = await dialUnix(path, AbortSignal.timeout(5000));
  socket.setEncoding('utf8');
  assert.deepEqual(await once(socket, 'data'), ['hello']);
  socket.destroy();
  server.close();
  rmSync(base, { recursive: true });
});

test('dialUnix() names the given path when there is no socket', async () => {
  for (const path of ['/nonexistent/a.sock', `/nonexistent/${'x'.repeat(200)}/a.sock`]) {
    await assert.rejects(dialUnix(path, AbortSignal.timeout(5000)), {
      code: 'ENOENT',
      message: `connect ENOENT ${path}`,
    });
  }
});
