// List and DiskUsage.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  type DiskUsageInfo,
  type DiskUsageRequest,
  type FileInfo,
  type ListRequest,
  MachineServiceDefinition,
} from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { makeFileTree, treeModified } from './harness/file-tree.ts';
import { startNode } from './harness/node-under-test.ts';
import { openDescriptors } from './harness/open-descriptors.ts';

const node = await startNode({ obeysModes: true });
const tree = await makeFileTree(node.root);
after(async () => {
  await tree[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});
const machine = node.client(MachineServiceDefinition, 'os:reader');

async function list(request: Partial<ListRequest>): Promise<FileInfo[]> {
  return Array.fromAsync(machine.list(request));
}
const names = (files: readonly FileInfo[]) => files.map(({ relativeName }) => relativeName);

async function usage(request: Partial<DiskUsageRequest>): Promise<DiskUsageInfo[]> {
  return Array.fromAsync(machine.diskUsage(request));
}

test('List returns the root and its content, in the byte order of names', async () => {
  assert.deepEqual(names(await list({ root: '/data' })), [
    '.',
    'absolute',
    'bytes-\\xff\\xfe',
    'circle-a',
    'circle-b',
    'dangling',
    'deep',
    'empty',
    'escape',
    'hello again',
    'hello.txt',
    'pipe',
    'relative',
    'socket',
    'sparse',
    'two\nlines',
  ]);
});

test('List returns mode, owner, size, time and link target of each file', async () => {
  const files = new Map((await list({ root: 'data/' })).map((file) => [file.relativeName, file]));
  const { uid, gid } = lstatSync(join(tree.path, 'hello.txt'));
  assert.deepEqual(files.get('hello.txt'), {
    metadata: undefined,
    name: '/data/hello.txt',
    relativeName: 'hello.txt',
    size: 6n,
    mode: 2 ** 23 + 0o751,
    modified: BigInt(treeModified),
    isDir: false,
    error: '',
    link: '',
    uid,
    gid,
    xattrs: [],
  });
  const mode = (name: string) => (files.get(name)?.mode ?? 0) - ((files.get(name)?.mode ?? 0) % 512);
  assert.deepEqual(
    [mode('.'), mode('deep'), mode('absolute'), mode('pipe'), mode('socket'), mode('empty')],
    [2 ** 31, 2 ** 31 + 2 ** 20, 2 ** 27, 2 ** 25, 2 ** 24, 0],
  );
  assert.deepEqual(
    ['absolute', 'relative', 'escape', 'dangling'].map((name) => files.get(name)?.link),
    ['/data/hello.txt', 'deep/er', '../../../../../../../../usr', 'nowhere'],
  );
  assert.deepEqual(
    [files.get('.')?.isDir, files.get('.')?.name, files.get('sparse')?.size],
    [true, '/data', 5_000_000n],
  );
});

test('List goes as deep as requested, also when the number is out of range', async () => {
  const deep = (request: Partial<ListRequest>) =>
    list({ root: '/data/deep', ...request }).then((files) => names(files));
  const all = ['.', 'er', 'er/bottom'];
  assert.deepEqual(await deep({}), ['.', 'er']);
  assert.deepEqual(await deep({ recursionDepth: 2 ** 31 - 1 }), ['.', 'er']);
  assert.deepEqual(await deep({ recurse: true, recursionDepth: 1 }), ['.', 'er']);
  for (const recursionDepth of [0, 2, -1, 2 ** 31 - 1, -(2 ** 31)]) {
    assert.deepEqual(await deep({ recurse: true, recursionDepth }), all, String(recursionDepth));
  }
});

test('List filters by type and descends into folders that it does not show', async () => {
  assert.deepEqual(names(await list({ root: '/data/deep', types: [0] })), ['er/bottom']);
  assert.deepEqual(names(await list({ root: '/data/deep', types: [1] })), ['.', 'er']);
  const links = names(await list({ root: '/data', types: [2] }));
  assert.deepEqual(links, ['absolute', 'circle-a', 'circle-b', 'dangling', 'escape', 'relative']);
  await assert.rejects(list({ root: '/data', types: [9 as never] }), {
    code: 3,
    details: /unknown file type 9/,
  });
});

test('List follows a link at the root, and no link leaves the node', async () => {
  const through = await list({ root: '/data/relative' });
  assert.deepEqual(
    through.map(({ name, relativeName }) => [name, relativeName]),
    [
      ['/data/deep/er', '.'],
      ['/data/deep/er/bottom', 'bottom'],
    ],
  );
  assert.deepEqual(names(await list({ root: '/data/hello.txt' })), ['hello.txt']);
  // The node has no /usr, whatever the host has.
  await assert.rejects(list({ root: '/data/escape' }), {
    code: 2,
    details: 'lstat /data/escape: no such file or directory',
  });
  for (const root of ['/../..', '', '/', '..', '/data/../../..']) {
    assert.deepEqual((await list({ root })).map(({ name }) => name).slice(0, 2), ['/', '/data'], root);
  }
});

test("List gives the reference's reason why a path cannot be listed", async () => {
  const rows: [string, RegExp][] = [
    ['/nope', /^lstat \/nope: no such file or directory$/],
    ['/data/hello.txt/x', /^lstat \/data\/hello.txt\/x: not a directory$/],
    ['/data/circle-a', /^lstat \/data\/circle-a: too many levels of symbolic links$/],
    [`/${'x'.repeat(300)}`, /file name too long$/],
    [`/${'x/'.repeat(3000)}`, /file name too long$|no such file or directory$/],
  ];
  for (const [root, details] of rows) await assert.rejects(list({ root }), { code: 2, details });
  await assert.rejects(list({ root: '/a\0b' }), { code: 3, details: /NUL byte/ });
});

test("List shows the host's kernel files, and of its processes only numbers", async () => {
  const top = names(await list({ root: '/' }));
  assert.deepEqual(
    ['dev', 'proc', 'sys'].filter((name) => !top.includes(name)),
    [],
  );
  const ofProcess = names(await list({ root: `/proc/${process.pid}` }));
  assert.ok(ofProcess.includes('stat') && !ofProcess.includes('environ') && !ofProcess.includes('root'));
  for (const name of ['root', 'cwd', 'environ', 'fd', 'task/../environ']) {
    await assert.rejects(
      list({ root: `/proc/${process.pid}/${name}` }),
      { code: 7, details: /belongs to the host of this node and is hidden/ },
      name,
    );
  }
  const own = await list({ root: '/proc/self' });
  assert.equal(own[0]?.name, `/proc/${node.machined.pid}`);
});

test('a folder that cannot be opened is an entry with an error, and the others are listed', async () => {
  const closed = join(tree.path, 'deep', 'closed');
  mkdirSync(closed, { mode: 0 });
  try {
    const files = await list({ root: '/data/deep', recurse: true });
    const failed = files.find(({ error }) => error !== '');
    assert.deepEqual(
      [failed?.relativeName, failed?.error],
      ['closed', 'open /data/deep/closed: permission denied'],
    );
    assert.ok(names(files).includes('er/bottom'));
  } finally {
    chmodSync(closed, 0o700);
    rmSync(closed, { recursive: true });
  }
});

test('a tree deeper than the longest path is listed as far as possible, with an error for the rest', async () => {
  const start = process.cwd();
  process.chdir(tree.path);
  for (const name of ['deepest', ...Array(18).fill('n'.repeat(250))]) {
    mkdirSync(name);
    process.chdir(name);
  }
  process.chdir(start);
  try {
    const files = await list({ root: '/data/deepest', recurse: true });
    assert.ok(files.length > 10, String(files.length));
    assert.match(files.at(-1)?.error ?? '', /file name too long$/);
    const sizes = await usage({ paths: ['/data/deepest'] });
    assert.equal(sizes.at(-1)?.relativeName, '.');
    assert.ok(sizes.some(({ error }) => error.endsWith('file name too long')));
  } finally {
    execFileSync('rm', ['-rf', join(tree.path, 'deepest')]);
  }
});

test('DiskUsage sums apparent sizes, and lists a folder after its content', async () => {
  const folderBytes = (path: string) => BigInt(lstatSync(join(tree.path, path)).size);
  const er = 3000n + folderBytes('deep/er');
  assert.deepEqual(
    (await usage({ paths: ['/data/deep'], all: true })).map(({ relativeName, size }) => [relativeName, size]),
    [
      ['er/bottom', 3000n],
      ['er', er],
      ['.', er + folderBytes('deep')],
    ],
  );
  const total = (await usage({ paths: ['/data'], recursionDepth: 1 })).map(({ size }) => size);
  const expected = execFileSync('du', ['--apparent-size', '--count-links', '-sb', tree.path], {
    encoding: 'utf8',
  });
  assert.deepEqual(total, [BigInt(expected.split('\t')[0] ?? '')]);
});

test('DiskUsage shows only what was requested and counts everything', async () => {
  const shown = async (request: Partial<DiskUsageRequest>) =>
    (await usage({ paths: ['/data'], ...request })).map(({ relativeName }) => relativeName);
  assert.deepEqual(await shown({}), ['deep/er', 'deep', '.']);
  assert.deepEqual(await shown({ recursionDepth: 2 }), ['deep', '.']);
  assert.deepEqual(await shown({ recursionDepth: -7 }), ['deep/er', 'deep', '.']);
  assert.deepEqual(await shown({ recursionDepth: 2 ** 31 - 1 }), ['deep/er', 'deep', '.']);
  assert.deepEqual(await shown({ all: true, threshold: 100_000n }), ['sparse', '.']);
  assert.deepEqual(await shown({ threshold: -100_000n }), ['deep/er', 'deep']);
  assert.deepEqual(await shown({ threshold: -(2n ** 63n) }), ['deep/er', 'deep', '.']);
});

test('DiskUsage measures the first path that exists and reports the missing ones before it', async () => {
  const found = await usage({ paths: ['/nope', '/data/circle-a', '/data/deep/er', '/data'] });
  assert.deepEqual(
    found.map(({ relativeName, error }) => [relativeName, error]),
    [
      ['/nope', 'lstat /nope: no such file or directory'],
      ['/data/circle-a', 'lstat /data/circle-a: too many levels of symbolic links'],
      ['.', ''],
    ],
  );
  assert.deepEqual(await usage({ paths: [] }), []);
  assert.deepEqual(
    (await usage({ paths: ['/data/hello.txt'] })).map(({ relativeName, size }) => [relativeName, size]),
    [['hello.txt', 6n]],
  );
});

test('DiskUsage succeeds for the network files of a zombie process', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const zombie = `/proc/${line.toString().trim()}`;
    await eventually(() => / Z /.test(readFileSync(`${zombie}/stat`, 'utf8')), { what: 'a zombie' });
    const errors = (await usage({ paths: [zombie] })).map(({ error }) => error);
    assert.deepEqual(
      errors.filter((error) => error.includes('/net')),
      [],
    );
  } finally {
    parent.kill('SIGKILL');
  }
});

test('files that appear and disappear during a listing are shown or reported missing, and the daemon survives', async () => {
  const folder = join(tree.path, 'churn');
  mkdirSync(folder);
  let isDone = false;
  const churn = (async () => {
    for (let round = 0; !isDone; round += 1) {
      for (let index = 0; index < 50; index += 1) writeFileSync(join(folder, `f${index}`), String(round));
      await new Promise(setImmediate);
      for (let index = 0; index < 50; index += 1) rmSync(join(folder, `f${index}`));
      await new Promise(setImmediate);
    }
  })();
  for (let round = 0; round < 20; round += 1) {
    for (const { error } of await list({ root: '/data/churn' })) {
      assert.match(error, /^$|no such file or directory$/);
    }
  }
  isDone = true;
  await churn;
  rmSync(folder, { recursive: true });
  assert.equal((await machine.hostname({})).messages[0]?.hostname, 'node01');
});

test('a listing whose client stops reading ends at once and leaves no descriptor open', async () => {
  const before = openDescriptors(node.machined.pid);
  for (let round = 0; round < 10; round += 1) {
    let count = 0;
    for await (const _ of machine.list({ root: '/', recurse: true })) {
      count += 1;
      if (count === 20) break;
    }
    const stop = new AbortController();
    const reading = Array.fromAsync(machine.diskUsage({ paths: ['/proc'] }, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 10);
    await reading.catch((error: Error) => assert.equal(error.name, 'AbortError'));
  }
  await eventually(() => openDescriptors(node.machined.pid) <= before, { what: 'descriptors closed' });
});
