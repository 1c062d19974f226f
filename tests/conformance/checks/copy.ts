import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { checksOf, Skip } from '../check.ts';
import { findFolder } from '../subject/find-folder.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { collect, expectFailure } from './expect.ts';
import { readTar, type TarEntry } from './read-tar.ts';

const chunkBytes = 1024;

async function copy({ admin }: Subject, rootPath: string): Promise<TarEntry[]> {
  const chunks = (await collect(admin.stream(machine.copy, { rootPath }))).map(({ bytes }) => bytes);
  assert.ok(
    chunks.every(({ length }) => length <= chunkBytes),
    'a chunk is larger than 1024 bytes',
  );
  return readTar(gunzipSync(Buffer.concat(chunks)));
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const refused = (subject: Subject, rootPath: string, text?: RegExp) =>
  expectFailure(collect(subject.admin.stream(machine.copy, { rootPath })), codes.unknown, text);

export const copyChecks = checksOf(machine.copy, {
  'copy.file': [
    'a file becomes a gzip tar with one entry under its base name, with its content and permissions',
    async (subject) => {
      const { file } = await findFolder(subject);
      const entries = await copy(subject, file);
      assert.deepEqual(
        entries.map(({ name, type }) => [name, type]),
        [[baseName(file), 'file']],
      );
      assert.deepEqual(entries[0]?.content, await subject.readFile(file));
      const [listed] = await collect(subject.admin.stream(machine.list, { root: file }));
      assert.equal((entries[0]?.mode ?? 0) & 0o777, (listed?.mode ?? 0) & 0o777);
    },
  ],
  'copy.folder': [
    'a folder becomes an archive of its content without itself; names are relative, and those of folders end with a slash',
    async (subject) => {
      const { path, files } = await findFolder(subject);
      const entries = await copy(subject, path);
      assert.deepEqual(
        entries.map(({ name }) => name).sort(),
        files.map(({ relativeName, isDir }) => (isDir ? `${relativeName}/` : relativeName)).sort(),
      );
      for (const entry of entries) {
        const listed = files.find(({ relativeName }) => relativeName === entry.name.replace(/\/$/, ''));
        assert.equal(entry.link, listed?.link ?? '', entry.name);
        if (entry.type === 'file') assert.equal(BigInt(entry.content.length), listed?.size, entry.name);
        assert.equal(entry.type === 'directory', listed?.isDir === true, entry.name);
      }
    },
  ],
  'copy.cleaned': [
    'the path is normalised before it is used',
    async (subject) => {
      const { file } = await findFolder(subject);
      const entries = await copy(subject, `/proc/../.${file}`);
      assert.deepEqual(
        entries.map(({ name }) => name),
        [baseName(file)],
      );
    },
  ],
  'copy.procfs': [
    'a file that reports a size of 0 bytes but has content is copied with its content',
    async (subject) => {
      const entries = await copy(subject, '/proc/sys/kernel/ostype');
      assert.equal(entries[0]?.content.toString(), 'Linux\n');
    },
  ],
  'copy.no-content': [
    'devices are entries without content',
    async (subject) => {
      const entries = await copy(subject, '/dev/null');
      assert.deepEqual(
        entries.map(({ type, content }) => [type, content.length]),
        [['character-device', 0]],
      );
    },
  ],
  'copy.partly': [
    `a file that cannot be read is left out, and the call ends with UNKNOWN 'skipping "<path>"' after all other files`,
    async ({ admin }) => {
      // The kernel file `flush` can only be written.
      const rootPath = '/proc/sys/net/ipv4/route';
      const chunks: Uint8Array[] = [];
      const reading = (async () => {
        for await (const { bytes } of admin.stream(machine.copy, { rootPath })) chunks.push(bytes);
      })();
      const failure = await reading.then(
        () => undefined,
        () => expectFailure(reading, codes.unknown),
      );
      if (failure === undefined)
        throw new Skip(`the node can read every file of ${rootPath}, or has no such folder`);
      assert.match(failure.text, /^skipping "\/proc\/sys\/net\/ipv4\/route\/flush": ./);
      const names = readTar(gunzipSync(Buffer.concat(chunks))).map(({ name }) => name);
      assert.ok(names.length > 1 && !names.includes('flush'), names.join(' '));
    },
  ],
  'copy.relative': [
    'a relative path fails with UNKNOWN "path is not absolute <path>"',
    (subject) => refused(subject, 'etc/passwd', /^path is not absolute etc\/passwd$/).then(() => {}),
  ],
  'copy.missing': [
    'a path that does not exist fails with UNKNOWN',
    (subject) => refused(subject, '/no/such/place').then(() => {}),
  ],
});
