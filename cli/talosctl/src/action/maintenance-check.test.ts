import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import type { NodeClient } from '@nodewright/client';
import { generateCertificateAuthority, tlsPrivateKey } from '@nodewright/pki';
import { maintenanceCheck } from './maintenance-check.ts';

/** An API in maintenance that takes this long, in ms, until it answers the TLS handshake of each connection. */
async function startMaintenance(scope: AsyncDisposableStack, handshakeMs: number): Promise<string> {
  const { certificate, key } = await generateCertificateAuthority({
    ...{ algorithm: 'ed25519', organization: 'test', notBefore: new Date() },
  });
  const api = createSecureServer({ cert: certificate, key: tlsPrivateKey(key) });
  api.on('stream', (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5));
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const sockets = new Set<Socket>();
  const slow = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    setTimeout(() => {
      const onward = connect(port, '127.0.0.1').on('error', () => {});
      sockets.add(onward);
      socket.pipe(onward).pipe(socket);
    }, handshakeMs).unref();
  });
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  scope.defer(() => {
    for (const socket of sockets) socket.destroy();
    slow.close();
    api.close();
  });
  return `127.0.0.1:${(slow.address() as AddressInfo).port}`;
}

/** A node whose boot id is read like this. */
function nodeAt(name: string, read: () => AsyncIterable<{ bytes: Uint8Array }>): NodeClient {
  return { name, machine: { read } } as unknown as NodeClient;
}

test('a node in maintenance is recognized when its busy host needs seconds for a handshake', async () => {
  await using scope = new AsyncDisposableStack();
  const address = await startMaintenance(scope, 4000);
  const node = nodeAt(address, () => {
    throw new Error('no node of this name');
  });
  assert.equal(await maintenanceCheck().hasPassed(node, 'before', AbortSignal.timeout(60_000)), true);
});

test('a node that has kept its configuration is recognized while nothing answers as in maintenance', async () => {
  await using scope = new AsyncDisposableStack();
  const address = await startMaintenance(scope, 1e9);
  const bootIds = ['after', 'before'].map((id) =>
    nodeAt(address, async function* () {
      yield { bytes: Buffer.from(id) };
    }),
  );
  const [again, same] = bootIds as [NodeClient, NodeClient];
  const signal = AbortSignal.timeout(60_000);
  const passed = await maintenanceCheck().hasPassed(again, 'before', signal);
  assert.deepEqual([passed, signal.aborted], [true, false]);
  assert.equal(await maintenanceCheck().hasPassed(same, 'before', AbortSignal.timeout(500)), false);
});
