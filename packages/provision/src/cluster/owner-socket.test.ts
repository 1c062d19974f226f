import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { test } from 'node:test';
import { askOwner, holdOwnerSocket } from './owner-socket.ts';

test('holdOwnerSocket() admits one owner at a time and describes it to the others', async () => {
  const where = { path: `\0owner-socket-test/${process.pid}` };
  const owner = await holdOwnerSocket(where, () => ({ pid: 1 }));
  assert.ok(owner !== undefined);
  assert.equal(await holdOwnerSocket(where, () => ({ pid: 2 })), undefined);
  assert.deepEqual(await askOwner(where), { pid: 1 });
  await owner[Symbol.asyncDispose]();

  await using second = await holdOwnerSocket(where, () => ({ pid: 2 }));
  assert.ok(second !== undefined);
});

test('askOwner() resolves to undefined for no answer, invalid data, too much data and a closed port', async () => {
  const answer = async (serve: Parameters<typeof createServer>[1]) => {
    const server = createServer(serve);
    await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
    const value = await askOwner(addressOf(server), 300);
    await new Promise((resolve) => server.close(resolve));
    return value;
  };
  const silence = await answer((socket) => socket.on('error', () => {}).resume());
  const garbage = await answer((socket) => socket.on('error', () => {}).end('hello\n'));
  const flood = await answer((socket) => socket.on('error', () => {}).end('x'.repeat(2 * 1024 * 1024)));
  const closed = await askOwner({ host: '127.0.0.1', port: 1 });
  assert.deepEqual([silence, garbage, flood, closed], [undefined, undefined, undefined, undefined]);
});

function addressOf(server: Server): { host: string; port: number } {
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { host: '127.0.0.1', port: address.port };
}
