// A fake member that ends a snapshot too early. A real member does this only when it dies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerCredentials } from '@grpc/grpc-js';
import { MaintenanceDefinition } from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import { noTelemetry } from '@nodewright/telemetry';
import { createServer } from 'nice-grpc';
import { openEtcdClient } from '../open-etcd-client.ts';
import { createTestPki } from '../testing/index.ts';

test('a snapshot that ends too early fails after the bytes that arrived', async () => {
  const pki = await createTestPki();
  const { certificate, key } = await pki.server('127.0.0.1');
  const unbuilt = async () => assert.fail('not asked for');
  const server = createServer();
  server.add(MaintenanceDefinition, {
    ...{ alarm: unbuilt, status: unbuilt, defragment: unbuilt, moveLeader: unbuilt, downgrade: unbuilt },
    async *snapshot() {
      yield { remainingBytes: 100n, blob: Buffer.from('first') };
    },
  });
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) };
  const credentials = ServerCredentials.createSsl(Buffer.from(pki.ca.certificate), [pair], true);
  const endpoint = `127.0.0.1:${await server.listen('127.0.0.1:0', credentials)}`;
  try {
    await using client = openEtcdClient({ endpoints: [endpoint], tls: pki.admin, telemetry: noTelemetry });
    const pieces: string[] = [];
    const read = async () => {
      for await (const piece of client.snapshot()) pieces.push(Buffer.from(piece).toString());
    };
    await assert.rejects(read(), {
      kind: 'data-loss',
      message: `the snapshot of etcd at ${endpoint} ended early, after 5 bytes`,
    });
    assert.deepEqual(pieces, ['first']);
  } finally {
    server.forceShutdown();
  }
});
