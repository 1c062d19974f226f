import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openUnixPath } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { openKernelFiles } from './kernel-files.ts';
import { createTcpProbe, createUnixProbe } from './probe-connection.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

test('a TCP probe finds a listener and says why it finds none', async () => {
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
    await writeFileAtomically(join(folder, 'x'), '');
    const path = join(folder, 'machined.sock');
    assert.equal((await createUnixProbe(path)(500)).healthy, false);
    using name = openUnixPath(path);
    await using server = createServer();
    server.listen(name.path);
    await once(server, 'listening');
    assert.deepEqual(await createUnixProbe(path)(500), { healthy: true });
    assert.equal((await createUnixProbe(join(root, 'e'.repeat(150), 'no.sock'))(500)).healthy, false);
  } finally {
    await rm(root, { recursive: true });
  }
});

test('writeFileAtomically() replaces a file, keeps it private and leaves nothing beside it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'atomic-'));
  try {
    const path = join(root, 'run', 'runtime.json');
    await writeFileAtomically(path, 'old');
    await writeFile(`${path}.new`, 'left by a crash', { mode: 0o666 });
    await writeFileAtomically(path, 'new');
    assert.equal(await readFile(path, 'utf8'), 'new');
    assert.deepEqual(await readdir(join(root, 'run')), ['runtime.json']);
    const modes = [path, join(root, 'run')].map(async (name) => (await stat(name)).mode & 0o777);
    assert.deepEqual(await Promise.all(modes), [0o600, 0o700]);
  } finally {
    await rm(root, { recursive: true });
  }
});

test('writeFileAtomically() keeps the old file when the new one cannot be put in its place', async () => {
  const root = await mkdtemp(join(tmpdir(), 'atomic-'));
  try {
    await writeFileAtomically(join(root, 'folder', 'x'), '');
    await assert.rejects(
      writeFileAtomically(join(root, 'folder'), 'text'),
      (error) =>
        error instanceof Error && error.message.startsWith(`cannot write "${join(root, 'folder')}": `),
    );
    assert.deepEqual(await readdir(root), ['folder']);
  } finally {
    await rm(root, { recursive: true });
  }
});

test('kernel files are read anew each time, and what the kernel has not is named', () => {
  using files = openKernelFiles(noTelemetry);
  const uptime = () => Number.parseFloat(files.read('/proc/uptime'));
  const before = uptime();
  const deadlineMs = performance.now() + 2000;
  while (uptime() === before && performance.now() < deadlineMs);
  assert.ok(uptime() > before);
  assert.throws(() => files.read('/proc/none'), /"\/proc\/none"/);
});
