import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { metadataKeys } from '@nodewright/contract';
import { Backend, reply } from '../../contract/apid/harness/backend.ts';
import { Client } from '../../contract/apid/harness/client.ts';
import { unframed } from '../../contract/apid/harness/messages.ts';
import { Authority, gatewayName, startGateway } from './start-gateway.ts';

test('a test gateway forwards the methods of grpc.testing, also to a second one, and refuses others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  await using scope = new AsyncDisposableStack();
  scope.defer(() => rmSync(folder, { recursive: true }));
  const authority = await Authority.create();
  const start = async (name: string, more: object) => {
    const backend = join(folder, `${name}.sock`);
    scope.use(await Backend.unix(backend, reply(Buffer.from(name))));
    return scope.use(await startGateway({ authority, folder: join(folder, name), backend, ...more }));
  };
  const far = await start('far', {});
  const near = await start('near', { next: far });
  const client = scope.use(await Client.connect(near.tls));
  const outcome = async (path: string, ...metadata: [string, string][]) => {
    const { code, message, body } = await client.call(path, { metadata });
    return code === 0 ? unframed(body).map(String).join() : `${code}: ${message}`;
  };
  const emptyCall = '/grpc.testing.TestService/EmptyCall';
  const version = '/machine.MachineService/Version';
  assert.deepEqual(
    [
      await outcome(emptyCall),
      await outcome(emptyCall, [metadataKeys.node, gatewayName]),
      await outcome(version),
      await outcome('/grpc.testing.UnimplementedService/UnimplementedCall'),
    ],
    [
      'near',
      'far',
      `12: unknown method ${version}`,
      '12: unknown method /grpc.testing.UnimplementedService/UnimplementedCall',
    ],
  );
});
