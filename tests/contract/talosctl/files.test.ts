// list, usage, read and copy against scripted nodes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import {
  CopyRequest,
  DiskUsageInfo,
  DiskUsageRequest,
  FileInfo,
  ListRequest,
  ReadRequest,
} from '@nodewright/contract/gen/machine/machine.ts';
import { type Header, pack } from 'tar-stream';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';
import { openSuite, sortedRows } from './suite.ts';

const day = 86_400n;
const now = BigInt(Math.floor(Date.now() / 1000));
const lastList: { request?: ListRequest } = {};
const lastUsage: { request?: DiskUsageRequest } = {};

const list: FakeHandler = (call) => {
  const request = ListRequest.decode(call.request);
  lastList.request = request;
  if (request.root === '/odd') {
    for (const [at, modified] of [-(2n ** 63n), 2n ** 63n - 1n, 253_402_300_800n].entries())
      call.send(FileInfo.encode(FileInfo.fromPartial({ relativeName: `file${at}`, modified })).finish());
    return call.end();
  }
  if (request.root === '/nope') return call.fail(2, 'lstat /nope: no such file or directory');
  const send = (file: Parameters<typeof FileInfo.fromPartial>[0]) =>
    call.send(FileInfo.encode(FileInfo.fromPartial(file)).finish());
  send({
    name: '/etc',
    relativeName: '.',
    mode: 2 ** 31 + 0o755,
    isDir: true,
    size: 4096n,
    modified: now - 400n * day,
  });
  send({
    name: '/etc/link',
    relativeName: 'link',
    mode: 2 ** 27 + 0o777,
    link: '/run/x',
    uid: 7,
    gid: 8,
    size: 6n,
    modified: now - 3n * day,
    xattrs: [{ name: 'security.selinux', data: Buffer.from('system_u\0') }],
  });
  send({
    name: '/etc/two\nlines',
    relativeName: 'two\nlines',
    mode: 2 ** 23 + 0o751,
    size: 12_345n,
    modified: now,
  });
  if (request.root === '/partly')
    send({ name: '/partly/x', relativeName: 'x', error: "EACCES: permission denied, open '/partly/x'" });
  call.end();
};

const usage: FakeHandler = (call) => {
  lastUsage.request = DiskUsageRequest.decode(call.request);
  const send = (info: Parameters<typeof DiskUsageInfo.fromPartial>[0]) =>
    call.send(DiskUsageInfo.encode(DiskUsageInfo.fromPartial(info)).finish());
  if (lastUsage.request.paths[0] === '/nope')
    send({ name: '/nope', relativeName: '/nope', error: 'lstat /nope: no such file or directory' });
  else {
    send({ name: '/var/log', relativeName: 'log', size: 12_345_678n });
    send({ name: '/var', relativeName: '.', size: 12_349_774n });
  }
  call.end();
};

function sendBytes(call: FakeCall, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 1024) {
    call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from(bytes.subarray(at, at + 1024)) })).finish());
  }
}

const content = Buffer.from(Uint8Array.from({ length: 5000 }, (_, index) => index % 256));

const read: FakeHandler = (call) => {
  const { path } = ReadRequest.decode(call.request);
  if (path === '/nope') return call.fail(5, 'stat /nope: no such file or directory');
  sendBytes(call, content);
  if (path === '/cut') return call.fail(14, 'the connection was lost');
  call.end();
};

type Entry = Partial<Header> & { name: string; content?: string };

/** An archive with these entries, valid or not. */
async function archiveOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  const pieces = Array.fromAsync(tar as AsyncIterable<Buffer>);
  for (const { content: text, ...given } of entries) {
    const header = { mtime: new Date(1_600_000_000_000), ...given };
    if (text === undefined) tar.entry({ ...header, size: 0 });
    else tar.entry(header, text);
  }
  tar.finalize();
  return gzipSync(Buffer.concat(await pieces));
}

const archives: Record<string, readonly Entry[]> = {
  '/tree': [
    { name: 'folder/', type: 'directory', mode: 0o500 },
    { name: 'folder/file', mode: 0o4755, content: 'hello', mtime: new Date(1_700_000_000_000) },
    { name: 'implied/deep/file', mode: 0o600, content: '' },
    { name: 'link', type: 'symlink', linkname: '../../outside' },
    { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 },
    { name: 'hard', type: 'link', linkname: 'folder/file' },
  ],
  '/up': [
    { name: 'good', content: '1' },
    { name: '../evil', content: '2' },
  ],
  '/absolute': [{ name: '/tmp/evil-of-talosctl', content: '2' }],
  '/through': [
    { name: 'link', type: 'symlink', linkname: '..' },
    { name: 'link/evil', content: '2' },
  ],
  '/over': [
    { name: 'target', type: 'symlink', linkname: '../evil' },
    { name: 'target', content: '2' },
  ],
  '/noise': [
    { name: 'first', content: 'x' },
    { name: 'second', content: randomBytes(200_000).toString('base64') },
  ],
  '/steering': [
    { name: '\u001b[31mred', content: '1' },
    { name: '\u001b[31mred', content: '2' },
  ],
  '/many': Array.from({ length: 50 }, (_, index) => ({ name: `file-${index}`, content: 'x'.repeat(3000) })),
};

const copy: FakeHandler = async (call) => {
  const { rootPath } = CopyRequest.decode(call.request);
  const [, path = '', mode = ''] = /^(\/[a-z]+)(?:-([a-z]+))?$/.exec(rootPath) ?? [];
  const entries = archives[path];
  if (entries === undefined) return call.fail(2, `lstat ${rootPath}: no such file or directory`);
  const archive = await archiveOf(entries);
  sendBytes(call, mode === 'cut' ? archive.subarray(0, Math.floor(archive.length / 2)) : archive);
  if (mode === 'skipping') return call.fail(2, 'skipping "/tree/x": open /tree/x: permission denied');
  if (mode === 'cut') return call.fail(14, 'the connection was lost');
  call.end();
};

const suite = openSuite({
  '/machine.MachineService/List': list,
  '/machine.MachineService/DiskUsage': usage,
  '/machine.MachineService/Read': read,
  '/machine.MachineService/Copy': copy,
});

test('list prints the names of one node as lines, and those of several in a table', async () => {
  const one = await suite.run('-n', 'node01', 'ls', '/etc');
  assert.deepEqual([one.stdout, one.stderr, one.exitCode], ['.\nlink\ntwo lines\n', '', 0]);
  const both = await suite.run('list', '/etc');
  assert.equal(both.stdout.split('\n')[0], 'NODE     NAME');
  assert.deepEqual(sortedRows(both.stdout).slice(0, 3), [
    'node01   .',
    'node01   link',
    'node01   two lines',
  ]);
});

test('list -l prints modes as Go does, times, labels and targets of links', async () => {
  const { stdout } = await suite.run('-n', 'node01', 'ls', '-l', '/etc');
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.split(/ {3,}/));
  assert.deepEqual(rows[0], ['NODE', 'MODE', 'UID', 'GID', 'SIZE(B)', 'LASTMOD', 'LABEL', 'NAME']);
  assert.match(rows[1]?.[5] ?? '', /^[A-Z][a-z]{2} [ \d]\d 20\d\d \d\d:\d\d$/);
  assert.match(rows[2]?.[5] ?? '', /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d$/);
  assert.deepEqual(
    [rows[1]?.[1], rows[2]?.slice(1, 5), rows[2]?.slice(6), rows[3]?.[1]],
    ['drwxr-xr-x', ['Lrwxrwxrwx', '7', '8', '6'], ['system_u', 'link -> /run/x'], 'urwxr-x--x'],
  );
  const human = await suite.run('-n', 'node01', 'ls', '-lH', '/etc');
  assert.match(human.stdout, /4\.1 kB +1 year ago/);
  assert.match(human.stdout, / 12 kB +(now|\d+ seconds? ago)/);
});

test('list -l shows a time that no calendar has as its number of seconds', async () => {
  const { stdout } = await suite.run('-n', 'node01', 'ls', '-l', '/odd');
  const times = stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.split(/ {3,}/)[5]);
  assert.deepEqual(times.slice(0, 2), ['@-9223372036854775808', '@9223372036854775807']);
  const human = await suite.run('-n', 'node01', 'ls', '-lH', '/odd');
  assert.match(human.stdout, /a long while ago.*a long while from now.*a long while from now/s);
  const { stdout: json } = await suite.run('-n', 'node01', 'ls', '-l', '/odd', '-o', 'json');
  assert.doesNotMatch(stdout + human.stdout + json, /NaN|undefined|Invalid/);
});

test('list requests exactly what its flags select', async () => {
  const rows: [string[], Partial<ListRequest>][] = [
    [[], { root: '/', recurse: false, recursionDepth: 1, types: [], reportXattrs: false }],
    [['/x', '-d', '3'], { root: '/x', recurse: true, recursionDepth: 3 }],
    [
      ['-r', '-t', 'f,l', '-t', 'd', '-l'],
      { recurse: true, recursionDepth: -1, types: [0, 2, 1], reportXattrs: true },
    ],
  ];
  for (const [words, expected] of rows) {
    await suite.run('-n', 'node01', 'list', ...words);
    assert.deepEqual({ ...lastList.request, ...expected }, lastList.request, words.join(' '));
  }
});

test('list rejects flags that contradict each other or have no effect', async () => {
  const rows: [string[], RegExp][] = [
    [['-r', '-d', '2'], /flag --recurse lists all levels: leave --depth out/],
    [['-t', 'x'], /option --type must be of f, d and l, not "x"/],
    [['-d', '-1'], /option --depth must be a whole number from 0 to 2147483647/],
    [['-d', '99999999999'], /option --depth must be a whole number/],
  ];
  for (const [words, message] of rows) {
    const { stderr, exitCode } = await suite.run('-n', 'node01', 'list', ...words);
    assert.match(stderr, message);
    assert.equal(exitCode, 1);
  }
});

test('an unreadable file is an error of its node, after the others', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', 'ls', '/partly');
  assert.deepEqual(
    [stdout.split('\n').length, stderr, exitCode],
    [4, 'error from node node01: rpc error: code = Unknown desc = open "/partly/x": permission denied\n', 1],
  );
  const missing = await suite.run('-n', 'node01', 'ls', '/nope');
  assert.deepEqual([missing.stdout, missing.exitCode], ['', 1]);
  assert.match(missing.stderr, /lstat \/nope: no such file or directory/);
});

test('list -o json has one entry per file with exact names and numbers, and yaml the same', async () => {
  const { stdout } = await suite.run('-n', 'node01', 'ls', '-l', '/partly', '-o', 'json');
  const [folder, link, lines, failed] = JSON.parse(stdout);
  assert.deepEqual(
    [folder.node, folder.mode, folder.modeText, folder.size],
    ['node01', 2 ** 31 + 0o755, 'drwxr-xr-x', 4096],
  );
  assert.deepEqual(
    [link.link, link.xattrs],
    ['/run/x', [{ name: 'security.selinux', data: 'c3lzdGVtX3UA' }]],
  );
  assert.equal(lines.name, '/etc/two\nlines');
  assert.deepEqual(failed.error, { code: 'Unknown', message: 'open "/partly/x": permission denied' });
  const yaml = await suite.run('-n', 'node01', 'ls', '/etc', '-o', 'yaml');
  assert.match(yaml.stdout, /relativeName: link/);
});

test('usage prints sizes and names, for several nodes with their names, and nothing for an empty answer', async () => {
  const one = await suite.run('-n', 'node01', 'du', '/var');
  assert.equal(one.stdout, 'SIZE       NAME\n12345678   log\n12349774   .\n');
  const human = await suite.run('-n', 'node01,node02', 'usage', '-H');
  assert.equal(human.stdout.split('\n')[1], 'node01   12 MB   log');
  const none = await suite.run('-n', 'node01', 'du', '/nope');
  assert.deepEqual([none.stdout, none.exitCode], ['', 1]);
  assert.match(none.stderr, /^error from node node01: .*lstat \/nope: no such file or directory\n$/);
  const document = await suite.run('-n', 'node01', 'du', '/var', '-o', 'json');
  assert.deepEqual(JSON.parse(document.stdout)[0], {
    node: 'node01',
    name: '/var/log',
    relativeName: 'log',
    size: 12_345_678,
  });
});

test('usage requests exactly what its flags select', async () => {
  await suite.run('-n', 'node01', 'usage');
  assert.deepEqual(lastUsage.request, { recursionDepth: 1, all: false, threshold: 0n, paths: ['/'] });
  await suite.run('-n', 'node01', 'usage', '-a', '-d', '4', '-t', '-100', '/a', '/b');
  assert.deepEqual(lastUsage.request, {
    recursionDepth: 5,
    all: true,
    threshold: -100n,
    paths: ['/a', '/b'],
  });
});

test('read prints the bytes of a file unchanged, of one node only', async () => {
  const child = suite.talosctl.start(['-n', 'node01', 'cat', '/file'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const bytes = Buffer.concat(await Array.fromAsync(child.stdout as AsyncIterable<Buffer>));
  assert.ok(bytes.equals(content));
  const several = await suite.run('read', '/file');
  assert.equal(several.exitCode, 1);
  assert.match(several.stderr, /command read works on one node, and 2 are named: choose one with --nodes/);
  const missing = await suite.run('-n', 'node01', 'read', '/nope');
  const reason = 'rpc error: code = NotFound desc = stat /nope: no such file or directory';
  assert.deepEqual(missing, { stdout: '', stderr: `error from node node01: ${reason}\n`, exitCode: 1 });
  const cut = await suite.run('-n', 'node01', 'read', '/cut');
  assert.equal(cut.exitCode, 1);
  assert.match(cut.stderr, /the connection was lost/);
});

const target = (name: string) => join(suite.cluster.folder, name);
const copyTo = (path: string, folder: string, ...words: string[]) =>
  suite.run('-n', 'node01', 'copy', path, target(folder), ...words);

test('copy unpacks files, folders and links with their modes, and reports what it skipped', async () => {
  const { stderr, exitCode } = await copyTo('/tree', 'new/tree');
  assert.deepEqual(
    [exitCode, stderr],
    [
      0,
      'skipped "null": entries of type character-device are not supported\nskipped "hard": entries of type link are not supported\n',
    ],
  );
  const mode = (name: string) => lstatSync(join(target('new/tree'), name)).mode & 0o7777;
  assert.deepEqual([mode('folder'), mode('folder/file'), mode('implied/deep/file')], [0o700, 0o755, 0o600]);
  assert.equal(readFileSync(join(target('new/tree'), 'folder/file'), 'utf8'), 'hello');
  assert.equal(lstatSync(join(target('new/tree'), 'folder/file')).mtimeMs, 1_700_000_000_000);
  assert.equal(readlinkSync(join(target('new/tree'), 'link')), '../../outside');
  assert.deepEqual(readdirSync(target('new/tree')).sort(), ['folder', 'implied', 'link']);
});

test('copy -o json lists what was created', async () => {
  const { stdout } = await copyTo('/tree', 'counted', '-o', 'json');
  const { skipped, ...rest } = JSON.parse(stdout);
  assert.deepEqual(rest, {
    node: 'node01',
    path: '/tree',
    folder: target('counted'),
    files: 2,
    folders: 3,
    links: 1,
    bytes: 5,
  });
  assert.equal(skipped.length, 2);
});

test('copy lets no entry out of the folder or onto the terminal, neither by its name nor through a link', async () => {
  const rows: [string, string, RegExp, string[]][] = [
    ['/up', 'up', /has an entry "\.\.\/evil", which is not a path inside the folder/, ['good']],
    ['/absolute', 'absolute', /has an entry "\/tmp\/evil-of-talosctl"/, []],
    ['/through', 'through', /link" exists already and is not a folder/, ['link']],
    ['/over', 'over', /target" exists already/, ['target']],
    ['/steering', 'steering', /\/\\u001b\[31mred" exists already/, ['\u001b[31mred']],
  ];
  for (const [path, folder, message, made] of rows) {
    const { stderr, exitCode } = await copyTo(path, folder);
    assert.equal(exitCode, 1);
    assert.match(stderr, message);
    assert.match(stderr, /were extracted to/);
    assert.deepEqual(readdirSync(target(folder)), made);
  }
  assert.equal(readdirSync(suite.cluster.folder).includes('evil'), false);
});

test('copy overwrites nothing, and follows no link in the folder', async () => {
  mkdirSync(join(target('there'), 'elsewhere'), { recursive: true });
  mkdirSync(join(target('there'), 'tree', 'folder'), { recursive: true });
  writeFileSync(join(target('there'), 'tree', 'folder', 'file'), 'mine');
  const first = await copyTo('/tree', 'there/tree');
  assert.match(first.stderr, /folder\/file" exists already: remove it, or copy into another folder/);
  assert.equal(readFileSync(join(target('there'), 'tree', 'folder', 'file'), 'utf8'), 'mine');
  mkdirSync(join(target('there'), 'linked'));
  symlinkSync('../elsewhere', join(target('there'), 'linked', 'folder'));
  const second = await copyTo('/tree', 'there/linked');
  assert.match(second.stderr, /folder" exists already and is not a folder/);
  assert.deepEqual(readdirSync(join(target('there'), 'elsewhere')), []);
  writeFileSync(target('file'), '');
  const third = await copyTo('/tree', 'file');
  assert.equal(third.exitCode, 1);
  assert.match(third.stderr, /file" is not a folder|file already exists/);
});

test('a copy that ends with an error has unpacked what arrived, and reports how much', async () => {
  const skipping = await copyTo('/tree-skipping', 'partial');
  assert.equal(skipping.exitCode, 1);
  assert.match(
    skipping.stderr,
    /skipping "\/tree\/x": open \/tree\/x: permission denied \(2 files, 3 folders and 1 links were extracted to /,
  );
  assert.deepEqual(readdirSync(target('partial')).sort(), ['folder', 'implied', 'link']);
  const cut = await copyTo('/many-cut', 'cut');
  assert.equal(cut.exitCode, 1);
  assert.match(cut.stderr, /^error from node node01: .* the connection was lost \(\d+ files/);
  const missing = await copyTo('/nope', 'missing');
  assert.equal(
    missing.stderr,
    'error from node node01: rpc error: code = Unknown desc = lstat /nope: no such file or directory\n',
  );
  assert.equal(readdirSync(suite.cluster.folder).includes('missing'), false);
});

test('a copy that is interrupted inside a file removes its partial file', async () => {
  const { stderr, exitCode } = await copyTo('/noise-cut', 'noise');
  assert.equal(exitCode, 1);
  assert.match(stderr, / the connection was lost \(1 files, 0 folders and 0 links were extracted to /);
  assert.deepEqual(readdirSync(target('noise')), ['first']);
});

test('copy to - writes the archive unchanged', async () => {
  const child = suite.talosctl.start(['-n', 'node01', 'cp', '/many', '-'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const bytes = Buffer.concat(await Array.fromAsync(child.stdout as AsyncIterable<Buffer>));
  assert.ok(bytes.equals(await archiveOf(archives['/many'] ?? [])));
});

test('paths on a node are completed, except those that a shell line cannot hold', async () => {
  const offered = async (...words: string[]) =>
    (await suite.run('__complete', '-n', 'node01', ...words)).stdout;
  assert.equal(await offered('ls', '/etc/'), '/etc/link\n');
  assert.equal(await offered('copy', '/etc/li'), '/etc/link\n');
  assert.equal(await offered('copy', '/etc/link', ''), ':files\n');
  assert.equal(await offered('read', '/nope/x'), '');
});
