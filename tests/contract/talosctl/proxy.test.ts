// A context with a proxy: every connection uses it, also those to this machine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { openSuite, sortedRows } from './suite.ts';

const suite = openSuite();
const seen: { readonly target: string | undefined; readonly authorization: string | undefined }[] = [];
const sockets = new Set<Socket>();
const proxy = createServer();
proxy.on('connect', ({ url, headers }, client: Socket) => {
  seen.push({ target: url, authorization: headers['proxy-authorization'] });
  sockets.add(client);
  client.on('error', () => {});
  if (url !== suite.gateway.address) return client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  const upstream = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
  sockets.add(upstream);
  upstream.on('error', () => client.destroy());
});
let port = 0;
before(async () => {
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  port = (proxy.address() as AddressInfo).port;
});
after(() => {
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

const set = (url: string) => suite.run('config', 'proxy-url', url);

test('a context with a proxy connects through it, with its credentials', async () => {
  assert.equal((await set(`http://me:secret@127.0.0.1:${port}`)).exitCode, 0);
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', 'memory');
  assert.deepEqual([sortedRows(stdout).length, stderr, exitCode], [1, '', 0]);
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  assert.deepEqual(seen.splice(0), [{ target: suite.gateway.address, authorization }]);
});

test('a proxy that refuses, and one that cannot be reached, are reported in one line', async () => {
  await set(`http://127.0.0.1:${port}`);
  const refused = await suite.run('-n', 'node01', '-e', '127.0.0.1:1', 'memory');
  const where =
    'error from node node01: rpc error: code = Unavailable desc = endpoint 127\\.0\\.0\\.1:1: proxy';
  assert.match(
    refused.stderr,
    new RegExp(`^${where} 127\\.0\\.0\\.1:${port}: it did not let the connection through\\n$`),
  );
  await set('http://127.0.0.1:1');
  const absent = await suite.run('-n', 'node01', '-e', '127.0.0.1:1', 'memory');
  assert.match(absent.stderr, new RegExp(`^${where} 127\\.0\\.0\\.1:1: connection refused\\n$`));
  assert.deepEqual([refused.exitCode, absent.exitCode], [1, 1]);
});

test('contexts without a proxy, and with `direct`, connect directly', async () => {
  for (const url of ['direct', '']) {
    await set(url);
    seen.length = 0;
    assert.equal((await suite.run('-n', 'node01', 'memory')).exitCode, 0);
    assert.deepEqual(seen, []);
  }
});
