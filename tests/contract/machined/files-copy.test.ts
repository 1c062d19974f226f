// Copy: the archive, as GNU tar and as another library read it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { extract, type Header } from 'tar-stream';
import { makeFileTree, treeModified } from './harness/file-tree.ts';
import { startNode } from './harness/node-under-test.ts';
import { openDescriptors } from './harness/open-descriptors.ts';

const node = await startNode({ obeysModes: true });
const tree = await makeFileTree(node.root);
after(async () => {
  await tree[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});
const machine = node.client(MachineServiceDefinition, 'os:admin');

interface Copied {
  readonly archive: Buffer;
  /** What the call ended with; empty for OK. */
  readonly details: string;
}

async function copy(rootPath: string, onFirst = () => {}): Promise<Copied> {
  const pieces: Uint8Array[] = [];
  let details = '';
  try {
    for await (const { bytes } of machine.copy({ rootPath })) {
      if (pieces.length === 0) onFirst();
      assert.ok(bytes.length > 0 && bytes.length <= 1024, `a message of ${bytes.length} bytes`);
      pieces.push(bytes);
    }
  } catch (error) {
    const failure = error as { code: number; details: string };
    if (pieces.length === 0) throw error;
    assert.equal(failure.code, 2);
    details = failure.details;
  }
  return { archive: Buffer.concat(pieces), details };
}

interface Entry extends Pick<Header, 'name' | 'type' | 'mode' | 'size' | 'linkname'> {
  readonly modified: number;
  readonly content: string;
}

async function entriesOf(archive: Buffer): Promise<Entry[]> {
  const reader = extract();
  reader.end(gunzipSync(archive));
  const entries: Entry[] = [];
  for await (const entry of reader) {
    const { name, type, mode, size, linkname, mtime } = entry.header;
    const content = Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Buffer>)).toString('latin1');
    entries.push({ name, type, mode, size, linkname, modified: mtime.getTime() / 1000, content });
  }
  return entries;
}

const entry = async (rootPath: string) => (await entriesOf((await copy(rootPath)).archive))[0];

test('Copy sends every file of a folder with mode, time and content; GNU tar finds no difference', async () => {
  const { archive, details } = await copy('/data/');
  // A socket in a folder is skipped, and the copy succeeds.
  assert.equal(details, '');
  const compared = spawnSync('tar', ['-d', '-z', '-C', tree.path, '-f', '-'], {
    input: archive,
    encoding: 'utf8',
  });
  assert.deepEqual([compared.status, compared.stdout, compared.stderr], [0, '', '']);
  const entries = new Map((await entriesOf(archive)).map((each) => [each.name, each]));
  assert.equal(entries.size, 16);
  assert.deepEqual(entries.get('hello.txt'), {
    name: 'hello.txt',
    type: 'file',
    mode: 0o4751,
    size: 6,
    linkname: null,
    modified: treeModified,
    content: 'hello\n',
  });
  const { type, mode, modified } = entries.get('deep/') as Entry;
  assert.deepEqual([type, mode, modified], ['directory', 0o1777, treeModified]);
  // A hard link is archived as a file of its own, and symbolic links as links.
  assert.deepEqual(
    ['hello again', 'absolute', 'escape', 'pipe'].map((name) => [
      entries.get(name)?.type,
      entries.get(name)?.linkname,
    ]),
    [
      ['file', null],
      ['symlink', '/data/hello.txt'],
      ['symlink', '../../../../../../../../usr'],
      ['fifo', null],
    ],
  );
  assert.deepEqual(
    [...entries.keys()].filter((name) => name.startsWith('/') || name === './'),
    [],
  );
});

test('Copy sends one file under its own name, also through a link', async () => {
  for (const path of ['/data/hello.txt', '/data/absolute', '//data/x/../hello.txt/']) {
    const { name, content } = (await entry(path)) as Entry;
    assert.deepEqual([name, content], ['hello.txt', 'hello\n'], path);
  }
  const folder = await entriesOf((await copy('/data/relative')).archive);
  assert.deepEqual(
    folder.map(({ name }) => name),
    ['bottom'],
  );
  assert.equal((await entry('/data/pipe'))?.type, 'fifo');
  assert.equal((await entry('/dev/null'))?.type, 'character-device');
  assert.equal(
    (await copy('/data/socket')).details,
    'skipping "/data/socket": sockets are not supported in archives',
  );
});

test('Copy includes the real content of kernel files whose size is 0, up to a page', async () => {
  assert.match((await entry('/proc/version'))?.content ?? '', /^Linux version/);
  assert.equal((await entry('/proc/sys/kernel/hostname'))?.content, 'node01\n');
  const large = (await entry('/proc/kallsyms')) as Entry;
  assert.deepEqual([large.size, large.content], [0, '']);
  assert.deepEqual((await entry('/data/empty'))?.size, 0);
});

test('Copy refuses a source that it cannot open', async () => {
  const rows: [string, number, string][] = [
    ['', 2, 'path is not absolute .'],
    ['data', 2, 'path is not absolute data'],
    ['/nope', 2, 'lstat /nope: no such file or directory'],
    ['/data/escape', 2, 'lstat /data/escape: no such file or directory'],
    ['/data/circle-a', 2, 'lstat /data/circle-a: too many levels of symbolic links'],
    ['/a\0b', 3, 'path "/a\\u0000b" contains a NUL byte'],
    ['/dev/shm', 7, '"/dev/shm" belongs to the host of this node and is hidden'],
  ];
  for (const [path, code, details] of rows) await assert.rejects(copy(path), { code, details }, path);
});

test('Copy keeps names that are not valid text, long names and large numbers', async () => {
  const folder = join(tree.path, 'names');
  const long = ['d'.repeat(120), 'é'.repeat(100)];
  mkdirSync(join(folder, long[0] ?? ''), { recursive: true });
  const raw = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x0a, 0xe9])]);
  for (const path of [join(folder, ...long), raw]) {
    writeFileSync(path, 'content');
    utimesSync(path, treeModified, treeModified);
  }
  utimesSync(join(folder, long[0] ?? ''), treeModified, treeModified);
  const { archive, details } = await copy('/data/names');
  assert.equal(details, '');
  const compared = spawnSync('tar', ['-d', '-z', '-C', folder, '-f', '-'], {
    input: archive,
    encoding: 'utf8',
  });
  assert.deepEqual([compared.status, compared.stdout, compared.stderr], [0, '', '']);
  rmSync(folder, { recursive: true });
});

test('an archive stays valid when files grow, shrink or disappear during the copy', async () => {
  const folder = join(tree.path, 'moving');
  mkdirSync(folder);
  const files = ['a', 'grows', 'shrinks', 'vanishes'].map((name) => join(folder, name));
  const [first = '', grows = '', shrinks = '', vanishes = ''] = files;
  // Random content, so that the first file is sent long before the last one is opened.
  for (const file of files) writeFileSync(file, randomBytes(6_000_000));
  const { archive, details } = await copy('/data/moving', () => {
    appendFileSync(grows, randomBytes(1000));
    truncateSync(shrinks, 10);
    rmSync(vanishes);
  });
  const entries = await entriesOf(archive);
  const sizes = new Map(entries.map(({ name, size, content }) => [name, [size, content.length]]));
  assert.deepEqual(sizes.get('a'), [6_000_000, 6_000_000]);
  for (const [size, length] of sizes.values()) assert.equal(size, length);
  assert.ok(statSync(first).size > 0 && entries.length >= 3);
  assert.match(details, /^$|vanishes": (lstat|open) .*no such file|became shorter/);
  rmSync(folder, { recursive: true });
});

test('a large file that shrinks during the copy is padded with zeros and reported', async () => {
  const path = join(tree.path, 'shrinks');
  writeFileSync(path, randomBytes(30_000_000));
  const { archive, details } = await copy('/data/shrinks', () => truncateSync(path, 1_000_000));
  const [found] = await entriesOf(archive);
  assert.deepEqual([found?.size, found?.content.length], [30_000_000, 30_000_000]);
  assert.match(
    details,
    /^skipping "\/data\/shrinks": it became shorter while it was copied: its last \d+ bytes are zeros$/,
  );
  rmSync(path);
});

test('an unreadable file is skipped and reported', async () => {
  const path = join(tree.path, 'deep', 'closed');
  writeFileSync(path, 'x', { mode: 0 });
  const { archive, details } = await copy('/data/deep');
  assert.equal(details, 'skipping "/data/deep/closed": open /data/deep/closed: permission denied');
  assert.equal((await entriesOf(archive)).length, 2);
  chmodSync(path, 0o600);
  rmSync(path);
});

test("a copy of the host's kernel files ends, reports what it skipped, and its status fits into a trailer", {
  timeout: 120_000,
}, async () => {
  const { archive, details } = await copy(`/proc/${process.pid}`);
  const entries = await entriesOf(archive);
  assert.ok(entries.some(({ name, content }) => name === 'comm' && content.length > 0));
  assert.equal(
    entries.some(({ name }) => name === 'environ' || name.startsWith('fd/')),
    false,
  );
  assert.ok(details.length < 8000);
});

test('a copy whose client stops reading ends, and leaves no open file and no work', async () => {
  const path = join(tree.path, 'huge');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 36);
  const leaveEarly = async () => {
    const stop = new AbortController();
    await assert.rejects(
      (async () => {
        for await (const _ of machine.copy({ rootPath: '/data/huge' }, { signal: stop.signal })) stop.abort();
      })(),
      { name: 'AbortError' },
    );
    for await (const _ of machine.copy({ rootPath: '/data' })) break;
  };
  // What machined opens once and keeps open is not counted.
  await leaveEarly();
  const before = openDescriptors(node.machined.pid);
  for (let round = 0; round < 5; round += 1) await leaveEarly();
  await eventually(() => openDescriptors(node.machined.pid) <= before, { what: 'descriptors closed' });
  const readStat = () => spawnSync('cat', [`/proc/${node.machined.pid}/stat`], { encoding: 'utf8' }).stdout;
  const ticks = () => Number(readStat().split(') ')[1]?.split(' ')[11]);
  let used = 0;
  const isIdle = async () => {
    const start = ticks();
    await new Promise((resolve) => setTimeout(resolve, 500));
    used = ticks() - start;
    return used < 30;
  };
  // A copy that went on would need most of a processor for minutes.
  const explain = () => `${used} ticks of CPU in half a second`;
  await eventually(isIdle, { what: 'rest after the last reader left', explain });
  rmSync(path);
});

test('a slow reader does not increase memory', async () => {
  const path = join(tree.path, 'noise');
  writeFileSync(path, randomBytes(60_000_000));
  const resident = () =>
    Number(
      /VmRSS:\s+(\d+)/.exec(
        spawnSync('cat', [`/proc/${node.machined.pid}/status`], { encoding: 'utf8' }).stdout,
      )?.[1],
    );
  const before = resident();
  let most = 0;
  let messages = 0;
  for await (const _ of machine.copy({ rootPath: '/data/noise' })) {
    messages += 1;
    if (messages % 5000 !== 0) continue;
    await new Promise((resolve) => setTimeout(resolve, 50));
    most = Math.max(most, resident());
  }
  assert.ok(most - before < 60_000, `${most - before} kB more`);
  rmSync(path);
});
