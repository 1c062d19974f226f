import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ListenAddress, listenAlone } from './listen-alone.ts';

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1');
const hosts = [undefined, '127.0.0.1', 'localhost', '0.0.0.0', ...(hasIpv6 ? ['::1', '::'] : [])];

async function listenAsNode(server: Server, address: ListenAddress): Promise<void> {
  server.listen(address);
  await once(server, 'listening');
}

/** What a client gets from a server that listens there, and the address that the server reports. */
async function serveOnce(listen: typeof listenAlone, address: ListenAddress): Promise<unknown> {
  const server = createServer((socket) => socket.end('hello'));
  await listen(server, address);
  const bound = server.address();
  const port = (bound as AddressInfo).port;
  const target: NetConnectOpts =
    'path' in address ? address : { port, host: address.host?.includes(':') ? '::1' : '127.0.0.1' };
  const socket = connect(target).setEncoding('utf8');
  const [answer] = await once(socket, 'data');
  server.close();
  await once(server, 'close');
  return [answer, typeof bound === 'string' ? bound : { ...bound, port: port > 0 }];
}

for (const host of hosts)
  test(`listenAlone() does what server.listen() does for ${host ?? 'all addresses'}`, async () => {
    const address = host === undefined ? { port: 0 } : { host, port: 0 };
    assert.deepEqual(await serveOnce(listenAlone, address), await serveOnce(listenAsNode, address));
  });

test('listenAlone() does what server.listen() does for a unix socket, and removes it at the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'listen-'));
  const path = join(folder, 'a.sock');
  try {
    // The second one finds the path free again.
    assert.deepEqual(await serveOnce(listenAlone, { path }), await serveOnce(listenAsNode, { path }));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('listenAlone() fails with the errors of server.listen()', async () => {
  const first = createServer();
  await listenAlone(first, { host: '127.0.0.1', port: 0 });
  const { port } = first.address() as AddressInfo;
  for (const address of [
    { host: '127.0.0.1', port },
    { port },
    { host: '192.0.2.1', port: 0 },
    { path: '/nonexistent/a.sock' },
  ]) {
    const failure = async (listen: typeof listenAlone) => {
      const error: unknown = await listen(createServer(), address).catch((reason: unknown) => reason);
      const { code, syscall, message } = error as NodeJS.ErrnoException;
      return { code, syscall, message };
    };
    assert.deepEqual(await failure(listenAlone), await failure(listenAsNode));
  }
  first.close();
});

test('listenAlone() loads neither node:cluster nor node:dns', () => {
  const program = `
    import { createServer } from 'node:net';
    import { listenAlone } from ${JSON.stringify(join(import.meta.dirname, 'listen-alone.ts'))};
    await listenAlone(createServer(), { host: '127.0.0.1', port: 0 });
    console.log(JSON.stringify(process.moduleLoadList));
    process.exit();`;
  const args = ['--input-type=module', '--eval', program];
  const loaded: string[] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  const found = ['net', 'cluster', 'child_process', 'dns'].filter((name) =>
    loaded.includes(`NativeModule ${name}`),
  );
  assert.deepEqual(found, ['net']);
});
