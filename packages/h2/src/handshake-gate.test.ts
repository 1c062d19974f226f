import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { HandshakeGate } from './handshake-gate.ts';

/** A socket with a peer address but no connection. */
function socketFrom(remoteAddress: string, remotePort: number): Socket {
  return Object.defineProperties(new Socket(), {
    remoteAddress: { value: remoteAddress },
    remotePort: { value: remotePort },
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
