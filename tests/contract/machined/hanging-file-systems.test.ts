// File systems that hang: machined keeps serving, says which one it is, and can end.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { StorageServiceDefinition } from '@nodewright/contract/gen/machine/storage.ts';
import { noHangingMounts, openHangingMounts } from './harness/hanging-mounts.ts';
import { startNode } from './harness/node-under-test.ts';

/** More than Node.js has threads by default, and more than machined has for such calls. */
const deadNames = Array.from({ length: 9 }, (_, index) => `dead${index + 1}`);

/** Starts a node with mounts that hang below `/data`, and a file beside them. */
async function startBesideHangingMounts(
  scope: AsyncDisposableStack,
  names: { readonly dead: readonly string[]; readonly partial: readonly string[] },
) {
  const folder = await mkdtemp(join(tmpdir(), 'hanging-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, 'root', 'data', name);
  for (const name of [...names.dead, ...names.partial]) await mkdir(at(name), { recursive: true });
  await writeFile(at('plain'), 'plain\n');
  const mounts = await openHangingMounts({ dead: names.dead.map(at), partial: names.partial.map(at) });
  await using starting = new AsyncDisposableStack();
  starting.use(mounts);
  const node = await startNode({ folder, through: mounts.enter });
  starting.move();
  scope.use(node);
  // Before the node: the kernel does not end a thread that waits for an answer to a request that the server has read.
  scope.use(mounts);
  const machine = node.client(MachineServiceDefinition, 'os:admin');
  const storage = node.client(StorageServiceDefinition, 'os:admin');
  const contentOf = async (path: string) => {
    const pieces = await Array.fromAsync(machine.read({ path }), ({ bytes }) => bytes);
    return Buffer.concat(pieces).toString();
  };
  return { node, machine, storage, contentOf };
}

const hangs = (path: string) =>
  new RegExp(
    `the file system at "[^"]*${path}" (did not answer within \\d+ ms|does not answer|cannot be asked)`,
  );

test('file systems that hang, more than there are threads, stop no other work of machined, which can end', {
  skip: noHangingMounts,
}, async () => {
  await using scope = new AsyncDisposableStack();
  const { node, machine, storage, contentOf } = await startBesideHangingMounts(scope, {
    dead: deadNames,
    partial: [],
  });
  await assert.rejects(machine.mounts({}), hangs('/data/dead\\d'));
  await Promise.all(
    deadNames.map((name) =>
      assert.rejects(storage.statfs({ path: `/data/${name}` }), hangs(`/data/${name}`)),
    ),
  );
  // Each of these needs a thread of its own.
  assert.equal(await contentOf('/data/plain'), 'plain\n');
  const names = await Array.fromAsync(machine.list({ root: '/data', recurse: false }), ({ name }) => name);
  assert.ok(names.some((name) => name.endsWith('/plain')));
  assert.ok((await storage.statfs({ path: '/data/plain' })).size > 0n);

  node.machined.signal('SIGTERM');
  const { code, signal } = await node.machined.exited;
  assert.deepEqual([code, signal], [0, null]);
});

test('a file system that hangs at some files is read but for these, which are named with their mount', {
  skip: noHangingMounts,
}, async () => {
  await using scope = new AsyncDisposableStack();
  const { machine, contentOf } = await startBesideHangingMounts(scope, {
    dead: ['dead'],
    partial: ['partial'],
  });
  assert.equal(await contentOf('/data/partial/first'), 'one\n');
  assert.equal(await contentOf('/data/partial/inner/last'), 'two\n');

  /** Other calls are served while one waits. */
  const beside = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) {
      assert.equal((await machine.version({})).messages.length, 1);
      assert.equal(await contentOf('/data/plain'), 'plain\n');
      await new Promise((resume) => setTimeout(resume, 100));
    }
    return await work;
  };
  const listed = await beside(
    Array.fromAsync(machine.list({ root: '/data/partial', recurse: true }), ({ relativeName, error }) => [
      relativeName,
      error,
    ]),
  );
  assert.deepEqual(
    listed.map(([name, error]) => [name, hangs('/data/partial').test(error ?? '')]),
    [
      ['.', false],
      ['first', false],
      ['inner', false],
      ['inner/last', false],
      ['unopened', false],
      ['unreadable', false],
      ['unseen', true],
    ],
  );
  await assert.rejects(beside(contentOf('/data/partial/unreadable')), hangs('/data/partial'));
  // Two calls hang now: the file system is not asked for more.
  const sums = await beside(Array.fromAsync(machine.diskUsage({ paths: ['/data/partial'] })));
  assert.match(sums.map(({ error }) => error).join(), hangs('/data/partial'));
  const copying = Array.fromAsync(machine.copy({ rootPath: '/data' }));
  await assert.rejects(beside(copying), hangs('/data/[a-z\\d]+'));
});
