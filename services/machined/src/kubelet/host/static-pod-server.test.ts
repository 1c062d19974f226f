import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { openStaticPodServer } from './static-pod-server.ts';

const open = () => openStaticPodServer((error) => assert.fail(String(error)));

test('every path answers the latest document, and 503 before the first one', async () => {
  await using server = await open();
  assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal((await fetch(server.url)).status, 503);
  server.serve('first');
  server.serve('kind: PodList\n');
  for (const path of ['/', '/any/path?query']) {
    const response = await fetch(server.url + path);
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), await response.text()],
      [200, 'application/yaml', 'kind: PodList\n'],
    );
  }
});

test('a request that is no GET is refused without reading its body', async () => {
  await using server = await open();
  server.serve('kind: PodList\n');
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n\r\n');
  // The answer comes although none of the body does.
  const [head] = await once(socket, 'data');
  assert.match(String(head), /^HTTP\/1\.1 405 /);
  socket.destroy();
});

test('connections beyond the limit are closed, and the others are still answered', async () => {
  await using server = await open();
  server.serve('kind: PodList\n');
  const port = Number(new URL(server.url).port);
  const sockets: Socket[] = [];
  try {
    for (let count = 0; count < 16; count++) {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
    }
    const more = connect(port, '127.0.0.1');
    sockets.push(more);
    more.on('error', () => {});
    await once(more, 'close');
    const [first] = sockets;
    assert.ok(first !== undefined);
    first.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    const [piece] = (await once(first, 'data')) as [Buffer];
    assert.match(piece.toString(), /^HTTP\/1\.1 200/);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('headers of more than 8 KiB are refused', async () => {
  await using server = await open();
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(9 << 10)}\r\n\r\n`);
  const [piece] = (await once(socket, 'data')) as [Buffer];
  assert.match(piece.toString(), /^HTTP\/1\.1 431/);
  socket.destroy();
});
