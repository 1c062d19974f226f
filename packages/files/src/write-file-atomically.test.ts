import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { writeFileAtomically } from './write-file-atomically.ts';

async function withFolder(body: (root: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'atomic-'));
  try {
    await body(root);
  } finally {
    await rm(root, { recursive: true });
  }
}

const modesOf = (...paths: string[]) =>
  Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)));

test('writeFileAtomically() replaces a file, keeps it private and leaves no other file', () =>
  withFolder(async (root) => {
    const path = join(root, 'run', 'runtime.json');
    await writeFileAtomically(path, 'old');
    await writeFile(`${path}.new`, 'left by a crash', { mode: 0o666 });
    await writeFileAtomically(path, 'new');
    assert.equal(await readFile(path, 'utf8'), 'new');
    assert.deepEqual(await readdir(join(root, 'run')), ['runtime.json']);
    assert.deepEqual(await modesOf(path, join(root, 'run')), ['600', '700']);
  }));

test('writeFileAtomically() fails where the kernel does not allow new folders', {
  timeout: 60_000,
}, async () => {
  await assert.rejects(writeFileAtomically('/proc/nodewright/a/b', 'text'), {
    kind: 'not-found',
    message: /^cannot write "\/proc\/nodewright\/a\/b": /,
  });
});

test('writeFileAtomically() keeps the old file when the rename fails', () =>
  withFolder(async (root) => {
    await writeFileAtomically(join(root, 'folder', 'x'), '');
    await assert.rejects(
      writeFileAtomically(join(root, 'folder'), 'text'),
      (error) =>
        error instanceof Error && error.message.startsWith(`cannot write "${join(root, 'folder')}": `),
    );
    assert.deepEqual(await readdir(root), ['folder']);
  }));

test('writeFileAtomically() sets the requested mode, whatever the umask', () =>
  withFolder(async (root) => {
    const path = join(root, 'runtime.json');
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const before = process.umask(0o077);
    try {
      await writeFileAtomically(path, 'text', { owner, mode: 0o640 });
    } finally {
      process.umask(before);
    }
    assert.deepEqual(await modesOf(path), ['640']);
  }));

const module = new URL('write-file-atomically.ts', import.meta.url).href;
const script = (path: string) => `
  import { writeFileAtomically } from ${JSON.stringify(module)};
  const owner = { uid: process.getuid(), gid: process.getgid() };
  if (process.permission === undefined) throw new Error('no permission model');
  await writeFileAtomically(${JSON.stringify(path)}, 'private');
  await writeFileAtomically(${JSON.stringify(path)} + '.shared', 'shared', { owner, mode: 0o640 });
`;

test("writeFileAtomically() works under Node's permission model, which has no fsync", () =>
  withFolder(async (root) => {
    await chmod(root, 0o700);
    const path = join(root, 'runtime.json');
    await promisify(execFile)(process.execPath, [
      '--permission',
      '--allow-fs-read=*',
      `--allow-fs-write=${root}`,
      ...['--input-type=module', '--eval', script(path)],
    ]);
    assert.deepEqual(
      [await readFile(path, 'utf8'), await readFile(`${path}.shared`, 'utf8')],
      ['private', 'shared'],
    );
    assert.deepEqual(await modesOf(path, `${path}.shared`), ['600', '640']);
    assert.deepEqual((await readdir(root)).sort(), ['runtime.json', 'runtime.json.shared']);
  }));
