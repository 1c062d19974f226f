import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { HandshakeGate } from './handshake-gate.ts';

/** A socket with the addresses of a connection, but without one. */
function socketFrom(
  remoteAddress: string | undefined,
  remotePort: number,
  localAddress = '10.0.0.2',
): Socket {
  return Object.defineProperties(new Socket(), {
    remoteAddress: { value: remoteAddress },
    remotePort: { value: remotePort },
    localAddress: { value: localAddress },
    localPort: { value: 50_000 },
  });
}

test('HandshakeGate destroys the oldest handshake of the address with the most handshakes', () => {
  const gate = new HandshakeGate({ inFlight: 4 });
  const quiet = socketFrom('10.0.0.1', 1);
  const crowd = [2, 3, 4, 5].map((port) => socketFrom('10.0.0.9', port));
  const evicted = [quiet, ...crowd].map((socket) => gate.begin(socket));
  assert.deepEqual(
    [evicted.map((socket) => socket?.remotePort), quiet.destroyed, crowd[0]?.destroyed, gate.size],
    [[undefined, undefined, undefined, undefined, 2], false, true, 4],
  );
});

test('HandshakeGate frees the place of a completed handshake', () => {
  const gate = new HandshakeGate({ inFlight: 1 });
  gate.begin(socketFrom('10.0.0.1', 1));
  gate.done(socketFrom('10.0.0.1', 1));
  assert.equal(gate.size, 0);
  assert.equal(gate.begin(socketFrom('10.0.0.2', 1)), undefined);
});

test('HandshakeGate frees the place of a closed connection', async () => {
  const gate = new HandshakeGate({ inFlight: 1 });
  const socket = socketFrom('10.0.0.1', 1);
  gate.begin(socket);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.destroy();
  await closed;
  assert.equal(gate.size, 0);
});

test('HandshakeGate destroys a connection without an address, and does not count it', () => {
  const gate = new HandshakeGate({ inFlight: 3 });
  const reset = [1, 2, 3, 4].map(() => socketFrom(undefined, 0));
  for (const socket of reset) assert.equal(gate.begin(socket), undefined);
  assert.deepEqual([reset.map(({ destroyed }) => destroyed), gate.size], [[true, true, true, true], 0]);
});

test('HandshakeGate counts each connection of a client that uses one port for several', async () => {
  const gate = new HandshakeGate({ inFlight: 4 });
  const twins = ['10.0.0.2', '10.0.0.3', '10.0.0.3'].map((local) => socketFrom('10.0.0.9', 7, local));
  for (const socket of twins) gate.begin(socket);
  assert.equal(gate.size, 3);
  const closed = twins.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const socket of twins) socket.destroy();
  await Promise.all(closed);
  assert.equal(gate.size, 0);
  // Nothing is left of their block: the clients of another one are evicted.
  const crowd = [1, 2, 3, 4, 5].map((port) => socketFrom('10.0.0.1', port));
  assert.deepEqual(
    crowd.map((socket) => gate.begin(socket)?.remotePort),
    [undefined, undefined, undefined, undefined, 1],
  );
});

test('HandshakeGate tells the connections of one port apart when a handshake is complete', () => {
  const gate = new HandshakeGate({ inFlight: 2 });
  const [first, second] = ['10.0.0.2', '10.0.0.3'].map((local) => socketFrom('10.0.0.9', 7, local));
  for (const socket of [first, second]) gate.begin(socket as Socket);
  gate.done(socketFrom('10.0.0.9', 7, '10.0.0.2'));
  assert.equal(gate.size, 1);
  gate.begin(socketFrom('10.0.0.9', 8));
  gate.begin(socketFrom('10.0.0.9', 9));
  assert.deepEqual([first?.destroyed, second?.destroyed], [false, true]);
});
