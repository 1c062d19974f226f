import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { keepNoRefusedBytes } from './refused-bytes.ts';

/** What an error of the parser has, beside the answer of the server. */
async function refuse(t: TestContext, onConnection: (socket: Socket) => void) {
  const server = createServer({ maxHeaderSize: 1024 }, (_request, response) => response.end());
  server.on('connection', onConnection);
  t.after(() => server.close());
  const refused = once(server, 'clientError');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => client.destroy());
  client.write(`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(40_000)}\r\n\r\n`);
  const [error, socket] = (await refused) as [Error & { code: string; rawPacket?: Buffer }, Socket];
  socket.destroy();
  return error;
}

test('Node.js copies what it refuses', async (t) => {
  const { code, rawPacket } = await refuse(t, () => {});
  assert.equal(code, 'HPE_HEADER_OVERFLOW');
  assert.ok((rawPacket?.length ?? 0) > 10_000);
});

test('nothing is copied when the connection was told to keep none', async (t) => {
  const { code, rawPacket } = await refuse(t, keepNoRefusedBytes);
  assert.equal(code, 'HPE_HEADER_OVERFLOW');
  assert.equal(rawPacket, undefined);
});
