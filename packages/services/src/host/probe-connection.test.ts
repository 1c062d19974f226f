import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openUnixPath } from '@nodewright/files';
import { createTcpProbe, createUnixProbe } from './probe-connection.ts';

test('a TCP probe finds a listener, and reports why there is none', async () => {
  await using server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  assert.deepEqual(await createTcpProbe(`127.0.0.1:${port}`)(500), { healthy: true });
  assert.deepEqual(await createTcpProbe(`:${port}`)(500), { healthy: true });
  server.close();
  await once(server, 'close');
  assert.deepEqual(await createTcpProbe(`127.0.0.1:${port}`)(500), {
    healthy: false,
    message: `connect ECONNREFUSED 127.0.0.1:${port}`,
  });
});

test('a unix probe works with a path of any length', async () => {
  const root = await mkdtemp(join(tmpdir(), 'probe-'));
  try {
    const folder = join(root, 'd'.repeat(150));
    await mkdir(folder);
    const path = join(folder, 'machined.sock');
    assert.equal((await createUnixProbe(path)(60_000)).healthy, false);
    using name = openUnixPath(path);
    await using server = createServer();
    server.listen(name.path);
    await once(server, 'listening');
    assert.deepEqual(await createUnixProbe(path)(60_000), { healthy: true });
    assert.equal((await createUnixProbe(join(root, 'e'.repeat(150), 'no.sock'))(60_000)).healthy, false);
  } finally {
    await rm(root, { recursive: true });
  }
});
