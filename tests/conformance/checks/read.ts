import assert from 'node:assert/strict';
import { checksOf, Skip } from '../check.ts';
import { findFolder } from '../subject/find-folder.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { collect, collectBytes, expectFailure } from './expect.ts';

const chunkBytes = 1024;
const read = ({ admin }: Subject, path: string) => admin.stream(machine.read, { path });
const refused = (subject: Subject, path: string, code: number | readonly number[], text?: RegExp) =>
  expectFailure(collect(read(subject, path)), code, text);

export const readChecks = checksOf(machine.read, {
  'read.whole': [
    'a file is sent completely, in chunks of at most 1024 bytes, none of them empty',
    async (subject) => {
      const chunks = (await collect(read(subject, '/proc/cpuinfo'))).map(({ bytes }) => bytes);
      assert.ok(chunks.every(({ length }) => length > 0 && length <= chunkBytes));
      assert.match(Buffer.concat(chunks).toString(), /^processor\s*:/m);
    },
  ],
  'read.size': [
    'Read sends as many bytes as List reports',
    async (subject) => {
      const { file } = await findFolder(subject);
      const [listed] = await collect(subject.admin.stream(machine.list, { root: file }));
      assert.equal(BigInt((await collectBytes(read(subject, file))).length), listed?.size);
    },
  ],
  'read.procfs': [
    'a file that reports a size of 0 bytes is read to its end',
    async (subject) => {
      assert.match((await collectBytes(read(subject, '/proc/version'))).toString(), /^Linux version /);
    },
  ],
  'read.symlink': [
    'symlinks are followed',
    async (subject) => {
      assert.match((await collectBytes(read(subject, '/proc/mounts'))).toString(), / \/proc proc /);
    },
  ],
  'read.missing': [
    'a path that does not exist fails with NOT_FOUND "stat <path>: no such file or directory"',
    (subject) =>
      refused(
        subject,
        '/no/such/file',
        codes.notFound,
        /^stat \/no\/such\/file: no such file or directory$/,
      ).then(() => {}),
  ],
  'read.not-regular': [
    'a folder, a device and a pipe fail with UNKNOWN "path must be a regular file"',
    async (subject) => {
      const { path: folder, files } = await findFolder(subject);
      const pipe = files.find(({ mode }) => (mode & (1 << 25)) !== 0);
      for (const path of [
        folder,
        '/proc',
        '/dev/null',
        '/dev/zero',
        ...(pipe === undefined ? [] : [pipe.name]),
      ]) {
        await refused(subject, path, codes.unknown, /^path must be a regular file$/);
      }
    },
  ],
  'read.below-file': [
    'a path below a file fails with a status and does not crash the node',
    (subject) => refused(subject, '/proc/version/x', [codes.unknown, codes.notFound]).then(() => {}),
  ],
  'read.odd-paths': [
    'an empty path, one with a NUL byte, and one too long for the kernel fail with a status and do not crash the node',
    async (subject) => {
      for (const path of ['', '/proc/\0version', `/${'x'.repeat(5000)}`]) {
        await refused(subject, path, [codes.unknown, codes.invalidArgument, codes.notFound]);
      }
    },
  ],
  'read.loop': [
    'a symlink to itself fails with a status and does not hang',
    async (subject) => {
      const { files } = await findFolder(subject);
      const loop = files.find(({ link, relativeName }) => link !== '' && relativeName.endsWith(link));
      if (loop === undefined) throw new Skip('the node has no symlink to itself');
      await refused(subject, loop.name, [codes.unknown, codes.notFound]);
    },
  ],
});
