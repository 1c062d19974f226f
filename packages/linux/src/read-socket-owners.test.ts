import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findNetworkNamespaces, networkNamespaceNames } from './network-namespaces.ts';
import { parseSocketTable } from './parse-socket-table.ts';
import { readSocketOwners } from './read-socket-owners.ts';

const folder = mkdtempSync(join(tmpdir(), 'proc-'));
after(() => rmSync(folder, { recursive: true }));

function writeProcess(pid: number, name: string, init: { sockets?: number[]; namespace?: string }): void {
  const process = join(folder, String(pid));
  mkdirSync(join(process, 'fd'), { recursive: true });
  mkdirSync(join(process, 'ns'));
  writeFileSync(join(process, 'comm'), `${name}\n`);
  for (const inode of init.sockets ?? [])
    symlinkSync(`socket:[${inode}]`, join(process, 'fd', String(inode)));
  symlinkSync('/dev/null', join(process, 'fd', '0'));
  if (init.namespace !== undefined) symlinkSync(join(folder, init.namespace), join(process, 'ns', 'net'));
}

for (const namespace of ['host', 'pod', 'empty']) writeFileSync(join(folder, namespace), '');
writeProcess(100, 'child', { sockets: [7, 8], namespace: 'pod' });
writeProcess(20, 'parent (x)', { sockets: [7], namespace: 'host' });
writeProcess(300, 'other', { namespace: 'pod' });
mkdirSync(join(folder, '400'));

test('readSocketOwners() assigns a socket to the lowest process number that holds it', async () => {
  assert.deepEqual(
    await readSocketOwners(folder),
    new Map([
      [7n, { pid: 20, name: 'parent (x)' }],
      [8n, { pid: 100, name: 'child' }],
    ]),
  );
});

test('readSocketOwners() finds this process by its listening socket', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const entry = [...parseSocketTable(readFileSync('/proc/net/tcp', 'utf8'))].find(
      ({ local, state }) => local.port === port && local.address === '127.0.0.1' && state === 10,
    );
    const owners = await readSocketOwners();
    assert.deepEqual(owners.get(entry?.inode ?? 0n), {
      pid: process.pid,
      name: readFileSync('/proc/self/comm', 'utf8').trim(),
    });
  } finally {
    server.close();
  }
});

test('readSocketOwners() stops when its signal aborts', async () => {
  const many = mkdtempSync(join(tmpdir(), 'proc-'));
  try {
    for (let pid = 1; pid <= 100; pid += 1) mkdirSync(join(many, String(pid)));
    await assert.rejects(readSocketOwners(many, AbortSignal.abort()), { name: 'AbortError' });
  } finally {
    rmSync(many, { recursive: true });
  }
});

test('readSocketOwners() yields to the event loop within a process with many descriptors', async () => {
  const one = mkdtempSync(join(tmpdir(), 'proc-'));
  try {
    mkdirSync(join(one, '1', 'fd'), { recursive: true });
    for (let fd = 0; fd < 2000; fd += 1) symlinkSync(`socket:[${fd + 1}]`, join(one, '1', 'fd', String(fd)));
    assert.equal((await readSocketOwners(one)).size, 2000);
    // The check whether to go on also yields to the event loop.
    await assert.rejects(readSocketOwners(one, AbortSignal.abort()), { name: 'AbortError' });
  } finally {
    rmSync(one, { recursive: true });
  }
});

test('findNetworkNamespaces() finds the first process of each name, and none in an empty namespace', async () => {
  const names = join(folder, 'netns');
  mkdirSync(names);
  for (const name of ['pod', 'empty']) symlinkSync(join(folder, name), join(names, name));
  assert.deepEqual(networkNamespaceNames(names), ['empty', 'pod']);
  const asked = ['pod', 'empty', 'pod', 'missing', '', '..', '../host', 'a\0b'];
  assert.deepEqual(await findNetworkNamespaces(asked, { folder: names, procRoot: folder }), [
    { name: 'pod', pid: 100 },
    { name: 'empty', pid: undefined },
  ]);
  assert.deepEqual(networkNamespaceNames(join(folder, 'missing')), []);
});

test('findNetworkNamespaces() does not look up names that do not exist', async () => {
  const names = join(folder, 'few');
  mkdirSync(names);
  symlinkSync(join(folder, 'pod'), join(names, 'pod'));
  const asked = Array.from({ length: 300_000 }, (_, index) => `missing-${index}`);
  const before = process.cpuUsage();
  assert.deepEqual(await findNetworkNamespaces([...asked, 'pod'], { folder: names, procRoot: folder }), [
    { name: 'pod', pid: 100 },
  ]);
  // CPU time of this process only, whatever else runs. 300,000 look-ups would take more than ten times as
  // long.
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_500_000, `${user + system} us`);
});
