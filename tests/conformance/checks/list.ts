import assert from 'node:assert/strict';
import { type FileInfo, ListRequest_Type } from '@nodewright/contract/gen/machine/machine.ts';
import { checksOf, Skip } from '../check.ts';
import { findFolder } from '../subject/find-folder.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { collect, compareBytes, expectFailure } from './expect.ts';

/** Bits of Go's FileMode. */
const mode = {
  directory: 1 << 31,
  symlink: 1 << 27,
  device: 1 << 26,
  character: 1 << 21,
  sticky: 1 << 20,
} as const;
const has = ({ mode: bits }: FileInfo, bit: number) => (bits & bit) !== 0;

type Request = Parameters<typeof machine.list.encode>[0];
const list = ({ admin }: Subject, request: Request) => collect(admin.stream(machine.list, request));
const names = (files: readonly FileInfo[]) => files.map(({ relativeName }) => relativeName);
const depthOf = ({ relativeName }: FileInfo) => relativeName.split('/').length;

/** In the order of a walk that visits the names of each folder in byte order. */
function compareWalk(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part !== other) return compareBytes(part, other);
  }
  return left.length - right.length;
}

export const listChecks = checksOf(machine.list, {
  'list.root-first': [
    'without recurse, the folder itself comes first as ".", then its direct children in byte order',
    async (subject) => {
      const { path } = await findFolder(subject);
      const [root, ...children] = await list(subject, { root: path });
      assert.deepEqual([root?.relativeName, root?.name, root?.isDir], ['.', path, true]);
      assert.ok(children.length > 0, 'no children');
      assert.ok(
        children.every((child) => depthOf(child) === 1 && child.name === `${path}/${child.relativeName}`),
      );
      assert.deepEqual(names(children), names(children).sort(compareBytes));
    },
  ],
  'list.root-spelling': [
    'a missing leading slash is added, a trailing slash is removed, and an empty root means /',
    async (subject) => {
      const { path } = await findFolder(subject);
      const expected = names(await list(subject, { root: path }));
      for (const root of [path.slice(1), `${path}/`, `${path.slice(1)}/`])
        assert.deepEqual(names(await list(subject, { root })), expected);
      const [first, ...rest] = await list(subject, { root: '' });
      assert.deepEqual([first?.name, first?.relativeName], ['/', '.']);
      assert.ok(names(rest).includes('proc'));
    },
  ],
  'list.file': [
    'a file is a single entry under its own name, with size, permissions and Unix seconds',
    async (subject) => {
      const { file: path } = await findFolder(subject);
      const files = await list(subject, { root: path });
      assert.deepEqual(names(files), [path.slice(path.lastIndexOf('/') + 1)]);
      const [file] = files as [FileInfo];
      assert.deepEqual([file.isDir, file.name], [false, path]);
      assert.ok(file.modified > 0n && file.modified < BigInt(Math.ceil(Date.now() / 1000) + 3600));
      assert.equal(file.mode >>> 9, 0, `mode ${file.mode.toString(2)} of a plain file`);
      assert.equal(file.size, BigInt((await subject.readFile(path)).length));
    },
  ],
  'list.mode': [
    'mode uses the bits of Go: directory 31, symlink 27, device 26, with 21 for character devices, sticky 20',
    async (subject) => {
      const folder = (await list(subject, { root: '/proc' }))[0] as FileInfo;
      assert.ok(has(folder, mode.directory) && !has(folder, mode.symlink));
      const [device] = await list(subject, { root: '/dev/null' });
      assert.ok(
        device !== undefined && has(device, mode.device) && has(device, mode.character),
        'of /dev/null',
      );
      const root = await list(subject, { root: '/' });
      const temporary = root.find(({ relativeName }) => relativeName === 'tmp');
      if (temporary !== undefined && (temporary.mode & 0o777) === 0o777)
        assert.ok(has(temporary, mode.sticky));
      assert.ok(root.every((file) => file.error !== '' || has(file, mode.directory) === file.isDir));
    },
  ],
  'list.symlinks': [
    'a symlink has its target and is not followed below the root; a root that is a symlink is resolved',
    async (subject) => {
      const ofProc = await list(subject, { root: '/proc' });
      const link = ofProc.find(({ relativeName }) => relativeName === 'mounts');
      assert.ok(link !== undefined && has(link, mode.symlink) && !link.isDir, '/proc/mounts is a symlink');
      assert.equal(link.link, 'self/mounts');
      const [root, ...inside] = await list(subject, { root: '/proc/self' });
      assert.deepEqual([root?.relativeName, root?.isDir], ['.', true]);
      assert.ok(
        inside.length > 5,
        `/proc/self links to a folder, but only ${inside.length} entries were listed`,
      );
    },
  ],
  'list.depth': [
    'with recurse, a depth of N lists N levels in depth-first byte order, each folder before its content',
    async (subject) => {
      const { path: root } = await findFolder(subject);
      const one = await list(subject, { root, recurse: true, recursionDepth: 1 });
      assert.deepEqual(names(one), names(await list(subject, { root })));
      const two = await list(subject, { root, recurse: true, recursionDepth: 2 });
      assert.equal(Math.max(...two.map(depthOf)), 2);
      const rest = names(two).slice(1);
      assert.deepEqual(rest, rest.toSorted(compareWalk));
    },
  ],
  'list.depth-of-root': [
    'for the root /, one level is not counted: depth 1 lists two levels',
    async (subject) => {
      const files = await list(subject, { root: '/', recurse: true, recursionDepth: 1 });
      assert.equal(Math.max(...files.map(depthOf)), 2);
    },
  ],
  'list.recurse-all': [
    'with recurse, a depth of 0 or below has no limit',
    async (subject) => {
      const { path: root } = await findFolder(subject);
      const all = names(await list(subject, { root, recurse: true }));
      assert.ok(all.length > names(await list(subject, { root })).length);
      assert.deepEqual(names(await list(subject, { root, recurse: true, recursionDepth: -1 })), all);
    },
  ],
  'list.types': [
    'types filters the entries: files, folders, symlinks, or several of these',
    async (subject) => {
      const { path: root } = await findFolder(subject);
      const ask = (...types: ListRequest_Type[]) => list(subject, { root, recurse: true, types });
      const folders = await ask(ListRequest_Type.DIRECTORY);
      const links = await ask(ListRequest_Type.SYMLINK);
      const files = await ask(ListRequest_Type.REGULAR);
      assert.ok(folders.length > 0 && folders.every(({ isDir }) => isDir));
      assert.ok(links.every((file) => has(file, mode.symlink) && file.link !== ''));
      assert.ok(files.length > 0 && files.every(({ mode: bits }) => (bits & 0x8f28_0000) === 0));
      const both = await ask(ListRequest_Type.DIRECTORY, ListRequest_Type.REGULAR);
      assert.equal(both.length, folders.length + files.length);
    },
  ],
  'list.missing': [
    'a root that does not exist fails with UNKNOWN "lstat <path>: no such file or directory"',
    async (subject) => {
      const text = /^lstat \/no\/such\/place: no such file or directory$/;
      await expectFailure(list(subject, { root: '/no/such/place' }), codes.unknown, text);
    },
  ],
  'list.escape': [
    'a path with more .. than folders stays at /',
    async (subject) => {
      const { path } = await findFolder(subject);
      const files = await list(subject, { root: `/../..${path}` });
      assert.deepEqual(names(files), names(await list(subject, { root: path })));
    },
  ],
  'list.vanishing': [
    'a file that disappears or cannot be read during the call is at most an entry with an error; the call ends with OK',
    async (subject) => {
      const files = await list(subject, { root: '/proc', recurse: true, recursionDepth: 2 });
      assert.ok(files.length > 50, `${files.length} entries`);
      for (const { error, name, relativeName } of files) {
        if (error !== '') assert.ok(name !== '' && relativeName !== '');
      }
    },
    30_000,
  ],
  'list.xattrs': [
    'extended attributes are sent only on request, each with a name',
    async (subject) => {
      const { path: root } = await findFolder(subject);
      const without = await list(subject, { root });
      assert.ok(without.every(({ xattrs }) => xattrs.length === 0));
      const attributed = await list(subject, { root, reportXattrs: true });
      assert.deepEqual(names(attributed), names(without));
      const reported = attributed.flatMap(({ xattrs }) => xattrs);
      if (reported.length === 0) throw new Skip(`nothing in ${root} has an extended attribute`);
      assert.ok(reported.every(({ name }) => /^[a-z]+\../.test(name)));
      const seeded = reported.find(({ name }) => name === 'user.conformance');
      if (seeded !== undefined) assert.equal(Buffer.from(seeded.data).toString(), 'yes');
    },
  ],
  'list.odd-paths': [
    'a path with a NUL byte, or one too long for the kernel, fails with a status and does not crash the node',
    async (subject) => {
      for (const root of ['/etc/\0hosts', `/${'x'.repeat(5000)}`]) {
        await expectFailure(list(subject, { root }), [codes.unknown, codes.invalidArgument]);
      }
    },
  ],
});
