import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { manifestLimits } from '../domain/manifests/read-manifest.ts';
import { fetchManifest } from './fetch-manifest.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const never = new AbortController().signal;

test('fetchManifest() sends the headers of the configuration, and follows redirects without them', async () => {
  const seen: (string | undefined)[] = [];
  const note = ({ headers }: IncomingMessage) => seen.push(headers['x-key'] as string | undefined);
  await using other = await serve((request, response) => {
    note(request);
    response.end('kind: X');
  });
  await using own = await serve((request, response) => {
    note(request);
    const target = request.url === '/first' ? '/second' : `${other.url}/third`;
    response.writeHead(302, { location: target }).end();
  });
  assert.equal(await fetchManifest(`${own.url}/first`, { 'X-Key': 'k' }, never), 'kind: X');
  assert.deepEqual(seen, ['k', 'k', undefined]);
});

test('fetchManifest() names the host and the reason of a failure, not the URL', async () => {
  await using server = await serve((request, response) => {
    if (request.url?.startsWith('/big')) {
      const timer = setInterval(() => response.write('x'.repeat(1024 * 1024)), 1);
      response.on('close', () => clearInterval(timer));
    } else if (request.url?.startsWith('/loop')) response.writeHead(302, { location: '/loop' }).end();
    else if (request.url?.startsWith('/file'))
      response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else response.writeHead(404).end();
  });
  const host = new URL(server.url).host;
  const table: [string, string][] = [
    ['/none?token=t', `${host} answered with HTTP 404`],
    ['/big?token=t', `${host} sends more than ${manifestLimits.textBytes} bytes`],
    ['/loop?token=t', `${host} redirects more than 5 times`],
    ['/file?token=t', `${host} redirects to file:`],
  ];
  for (const [path, message] of table)
    await assert.rejects(fetchManifest(server.url + path, {}, never), { name: 'Fault', message });
  await assert.rejects(fetchManifest('http://127.0.0.1:1/?token=t', {}, never), ({ message }: Error) => {
    return message.startsWith('127.0.0.1:1 cannot be reached: ') && !message.includes('token');
  });
});

test('fetchManifest() ends with its signal', async () => {
  await using server = await serve(() => {});
  const stop = new AbortController();
  const fetching = fetchManifest(server.url, {}, stop.signal);
  stop.abort(new Error('stop'));
  await assert.rejects(fetching, { message: 'stop' });
});
