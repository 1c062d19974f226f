// Read.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { makeFileTree } from './harness/file-tree.ts';
import { startNode } from './harness/node-under-test.ts';
import { openDescriptors } from './harness/open-descriptors.ts';

const node = await startNode({ obeysModes: true });
const tree = await makeFileTree(node.root);
after(async () => {
  await tree[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});
const machine = node.client(MachineServiceDefinition, 'os:admin');

async function read(path: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const { bytes } of machine.read({ path })) {
    assert.ok(bytes.length > 0 && bytes.length <= 1024, `a message of ${bytes.length} bytes`);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

test('Read returns the bytes of a file, of any length and through links', async () => {
  const large = randomBytes(3_000_001);
  writeFileSync(join(tree.path, 'large'), large);
  assert.ok(large.equals(await read('/data/large')));
  rmSync(join(tree.path, 'large'));
  assert.equal((await read('/data/empty')).length, 0);
  for (const path of [
    '/data/absolute',
    '/data/deep/../hello.txt',
    '//data/./hello.txt',
    '/../data/hello.txt',
  ]) {
    assert.equal((await read(path)).toString(), 'hello\n', path);
  }
  assert.equal((await read('/data/two\nlines')).toString(), '2');
});

test('Read returns kernel files whose size is 0', async () => {
  assert.equal((await read('/proc/version')).toString(), readFileSync('/proc/version', 'utf8'));
  assert.match(
    (await read('/proc/self/status')).toString(),
    new RegExp(`^Pid:\\t${node.machined.pid}$`, 'm'),
  );
  assert.match((await read('/proc/cpuinfo')).toString(), /processor\s+: 0/);
});

test('a node that shares its kernel has its own hostname, and a boot id that changes only at a restart', async () => {
  assert.equal((await read('/proc/sys/kernel/hostname')).toString(), 'node01\n');
  const bootId = (await read('/proc/sys/kernel/random/boot_id')).toString();
  assert.match(bootId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/);
  assert.notEqual(bootId, readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  assert.equal((await read('/proc/sys/kernel/random/boot_id')).toString(), bootId);
});

test('a path that cannot be read gives a clear status, and no call hangs', { timeout: 60_000 }, async () => {
  const rows: [string, number, string][] = [
    ['', 3, 'path is not absolute ""'],
    ['data/hello.txt', 3, 'path is not absolute "data/hello.txt"'],
    ['/a\0b', 3, 'path "/a\\u0000b" contains a NUL byte'],
    ['/nope', 5, 'stat /nope: no such file or directory'],
    ['/data/dangling', 5, 'stat /data/dangling: no such file or directory'],
    ['/data/escape/bin/env', 5, 'stat /data/escape/bin/env: no such file or directory'],
    ['/data/hello.txt/x', 2, 'stat /data/hello.txt/x: not a directory'],
    ['/data/circle-a', 2, 'stat /data/circle-a: too many levels of symbolic links'],
    ['/data', 2, 'path must be a regular file'],
    ['/', 2, 'path must be a regular file'],
    ['/data/pipe', 2, 'path must be a regular file'],
    ['/data/socket', 2, 'path must be a regular file'],
    ['/dev/zero', 2, 'path must be a regular file'],
    ['/dev/tty', 2, 'path must be a regular file'],
    [
      `/proc/${process.pid}/environ`,
      7,
      `"/proc/${process.pid}/environ" belongs to the host of this node and is hidden`,
    ],
    ['/proc/kmsg', 7, '"/proc/kmsg" belongs to the host of this node and is hidden'],
    ['/dev/shm/x', 7, '"/dev/shm" belongs to the host of this node and is hidden'],
  ];
  for (const [path, code, details] of rows) await assert.rejects(read(path), { code, details }, path);
  assert.equal((await machine.hostname({})).messages[0]?.hostname, 'node01');
});

test("a file that the node's user may not read is refused", async () => {
  const path = join(tree.path, 'closed');
  writeFileSync(path, 'x', { mode: 0 });
  await assert.rejects(read('/data/closed'), { code: 7, details: 'open /data/closed: permission denied' });
  chmodSync(path, 0o600);
  rmSync(path);
});

test('Read is for administrators: the node keeps its secrets below its root', async () => {
  const reader = node.client(MachineServiceDefinition, 'os:operator', 'os:reader');
  await assert.rejects(Array.fromAsync(reader.read({ path: '/system/state/config.yaml' })), {
    code: 7,
    details: 'not authorized',
  });
  await assert.rejects(Array.fromAsync(reader.copy({ rootPath: '/system/state' })), {
    code: 7,
    details: 'not authorized',
  });
  assert.match((await read('/system/state/config.yaml')).toString(), /^version: v1alpha1$/m);
});

test('reading a file that grows, shrinks or disappears ends at its end', async () => {
  const path = join(tree.path, 'moving');
  writeFileSync(path, Buffer.alloc(8_000_000, 'a'));
  const changes = [() => appendFileSync(path, 'b'), () => truncateSync(path, 4_000_000), () => rmSync(path)];
  for (const change of changes) {
    let total = 0;
    for await (const { bytes } of machine.read({ path: '/data/moving' })) {
      if (total === 0) change();
      total += bytes.length;
    }
    assert.ok(total >= 4_000_000, String(total));
  }
});

test('a cancelled read ends, and its file is closed', async () => {
  const before = openDescriptors(node.machined.pid);
  for (let round = 0; round < 20; round += 1) {
    for await (const { bytes } of machine.read({ path: '/data/sparse' })) if (bytes.length > 0) break;
    await assert.rejects(read('/data'));
  }
  await eventually(() => openDescriptors(node.machined.pid) <= before, { what: 'descriptors closed' });
});
