// Random archives: whatever they contain, reading them ends with a Fault or with files in the places for them, and an
// independent reader of tar finds the same entries in each one that passes.
import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { extract } from 'tar-stream';
import { isAllowedFolder, isAllowedPlace } from './domain/allowed-places.ts';
import { readTar } from './domain/read-tar.ts';
import type { ExtensionSource } from './host/extension-source.ts';
import { placeExtension } from './index.ts';
import { tarBytes, type WrittenEntry } from './testing/tar-bytes.ts';
import { start } from './testing/test-extension.ts';

const work = mkdtempSync(join(tmpdir(), 'random-archives-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** The same names again and again, so that entries meet. */
const part = fc.constantFrom('a', 'b', 'usr', 'local', '..', '.', '', '.wh.a', 'etc', 'x'.repeat(120));
const inPlace = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .map((parts) => `rootfs/usr/local/${parts.join('/')}`);
const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('a', 'b', 'a/a', 'a/b', 'b/a', 'c').map((path) => `rootfs/usr/local/${path}`),
  },
  { weight: 3, arbitrary: inPlace },
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'rootfs',
    '/etc/passwd',
    '../x',
    'rootfs/lib',
    'manifest.yaml',
    './rootfs/etc/cri/conf.d/x',
  ),
);
const entry: fc.Arbitrary<WrittenEntry> = fc.record(
  {
    name,
    type: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('0', '5', '2', '1') },
      fc.constantFrom('3', '6', 'S', 'Z', 'L', 'K', '\0'),
    ),
    mode: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(0o644, 0o755) },
      fc.integer({ min: 0, max: 0o7777 }),
    ),
    content: fc.oneof(fc.constant(''), fc.string({ maxLength: 700 })),
    target: fc.oneof(name, fc.constantFrom('/etc', '../../..', 'a', 'rootfs/usr/local/a')),
    extended: fc.dictionary(fc.constantFrom('path', 'linkpath', 'comment', 'mtime'), name, { maxKeys: 2 }),
  },
  { requiredKeys: ['name'] },
);

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const sourceOf = (archive: Buffer, pieceBytes: number): ExtensionSource => ({
  async *layers() {
    yield readTar(inPieces(archive, pieceBytes));
  },
  async [Symbol.asyncDispose]() {},
});

const changes = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  fc.array(fc.record({ at: fc.nat(), value: fc.nat({ max: 255 }) }), { maxLength: 4 }),
);

/** @param changed bytes that change after the archive was made */
function archiveOf(
  entries: readonly WrittenEntry[],
  changed: readonly { readonly at: number; readonly value: number }[],
): Buffer {
  const archive = tarBytes([...start, ...entries]);
  for (const { at, value } of changed) archive[at % archive.length] = value;
  return archive;
}

let passed = 0;

test('a random archive is refused with a Fault, or its files are where they may be', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 8 }),
      changes,
      fc.integer({ min: 200, max: 4000 }),
      async (entries, changed, pieceBytes) => {
        const archive = archiveOf(entries, changed);
        const folder = mkdtempSync(join(work, 'place-'));
        const target = join(folder, 'root');
        try {
          await placeExtension(sourceOf(archive, pieceBytes), 'v1.14.0', target);
          passed += 1;
          assert.deepEqual(await entriesOfReader(archive), await entriesOfLibrary(archive));
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          assert.match(error.kind, /^(invalid-argument|data-loss)$/);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
          assert.doesNotMatch(error.message, /[\x00-\x1f]/);
        }
        assert.deepEqual(
          readdirSync(folder).filter((found) => found !== 'root'),
          [],
        );
        checkTree(target, '');
        rmSync(folder, { recursive: true, force: true });
      },
    ),
    { numRuns: 500 },
  );
  assert.ok(passed > 50, `only ${passed} archives passed: the others say nothing about files`);
});

/** Everything that was written, also by an archive that was refused in its middle. */
function checkTree(root: string, below: string): void {
  for (const found of readdirSync(join(root, below))) {
    const path = below === '' ? found : `${below}/${found}`;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) {
      assert.ok(isAllowedFolder(path), path);
      checkTree(root, path);
      continue;
    }
    assert.ok(isAllowedPlace(path), path);
    assert.ok(stats.isFile() || stats.isSymbolicLink(), path);
    if (stats.isFile()) assert.match((stats.mode & 0o7777).toString(8), /^(644|755)$/);
  }
}

type Shown = readonly [name: string, kind: string, bytes: number, target: string];

async function entriesOfReader(archive: Buffer): Promise<Shown[]> {
  const found: Shown[] = [];
  for await (const { entry } of readTar(inPieces(archive, 512)))
    found.push([
      entry.name.replace(/\/$/, ''),
      entry.kind,
      entry.sizeBytes,
      /link/.test(entry.kind) ? entry.target : '',
    ]);
  return found;
}

const libraryKinds: Readonly<Record<string, string>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'folder',
  symlink: 'symbolic link',
  link: 'hard link',
};

async function entriesOfLibrary(archive: Buffer): Promise<Shown[]> {
  const found: Shown[] = [];
  const reader = extract();
  reader.end(archive);
  for await (const one of reader) {
    const { name: path, type, size = 0, linkname } = one.header;
    const target = /link/.test(`${type}`) ? `${linkname}` : '';
    found.push([path.replace(/\/$/, ''), libraryKinds[type ?? ''] ?? `${type}`, size, target]);
    one.resume();
  }
  return found;
}

test('the content of files is what the archive has, in pieces of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.uint8Array({ maxLength: 3000 }), { maxKeys: 5 }),
      fc.integer({ min: 1, max: 4000 }),
      async (files, pieceBytes) => {
        const target = join(mkdtempSync(join(work, 'place-')), 'root');
        const entries = Object.entries(files).map(([path, content]) => ({
          name: `rootfs/usr/local/${path}`,
          content,
        }));
        await placeExtension(sourceOf(tarBytes([...start, ...entries]), pieceBytes), 'v1.14.0', target);
        for (const [path, content] of Object.entries(files))
          assert.deepEqual(new Uint8Array(readFileSync(join(target, 'usr/local', path))), content);
      },
    ),
    { numRuns: 60 },
  );
});
