import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { joinSockets } from './join-sockets.ts';

const limits = { timers: systemTimers, restMs: 60_000 };

/** A socket of which the test is the peer: it sends with `push()`, and takes each chunk with `take()`. */
function openSide() {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      taken.push(String(chunk));
      waiting.push(done);
    },
  });
  return { socket, taken, take: () => waiting.shift()?.() };
}

test('joinSockets() delivers what was sent before an end, however late it is taken', async () => {
  const [client, server] = [openSide(), openSide()];
  joinSockets(client.socket, server.socket, limits);
  client.socket.push('question');
  client.socket.push(null);
  await once(client.socket, 'end');
  server.take();
  await once(server.socket, 'finish');
  server.socket.push('answer');
  server.socket.push(null);
  // The server's side is over in both directions, and the client has taken nothing yet.
  await once(server.socket, 'close');
  assert.equal(client.socket.destroyed, false);
  client.take();
  await once(client.socket, 'close');
  assert.deepEqual(
    [server.taken, client.taken, client.socket.writableFinished],
    [['question'], ['answer'], true],
  );
});

test('joinSockets() destroys a side that does not take the rest in time', async () => {
  const [client, server] = [openSide(), openSide()];
  joinSockets(client.socket, server.socket, { ...limits, restMs: 20 });
  client.socket.push(null);
  server.socket.push('answer');
  server.socket.push(null);
  await once(server.socket, 'close');
  await once(client.socket, 'close');
  assert.deepEqual([client.taken, client.socket.writableFinished], [['answer'], false]);
});

test('joinSockets() destroys the other side of one that breaks', async () => {
  for (const breaks of ['client', 'server'] as const) {
    const sides = { client: openSide(), server: openSide() };
    joinSockets(sides.client.socket, sides.server.socket, limits);
    const other = breaks === 'client' ? sides.server : sides.client;
    sides[breaks].socket.destroy();
    await once(other.socket, 'close');
    assert.equal(other.socket.writableFinished, false);
  }
});
