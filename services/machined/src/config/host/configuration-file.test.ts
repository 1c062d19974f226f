import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createConfigurationFile } from './configuration-file.ts';

async function withPath(body: (path: string, folder: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'config-'));
  try {
    await body(join(root, 'state', 'config.yaml'), join(root, 'state'));
  } finally {
    await rm(root, { recursive: true });
  }
}

test('a configuration file keeps the text unchanged and is readable only by its owner', () =>
  withPath(async (path, folder) => {
    const file = createConfigurationFile(path);
    assert.equal(await file.read(), undefined);
    await file.store('# mine\na: 1\n');
    assert.equal(await file.read(), '# mine\na: 1\n');
    assert.deepEqual([(await stat(path)).mode & 0o777, await readdir(folder)], [0o600, ['config.yaml']]);
  }));

test('a configuration file is not rewritten when the text is unchanged', () =>
  withPath(async (path) => {
    await createConfigurationFile(path).store('a');
    const { ino } = await stat(path);
    const file = createConfigurationFile(path);
    await file.store('a');
    await file.store('a');
    assert.equal((await stat(path)).ino, ino);
    // A change by another process must not be mistaken for the stored text.
    await writeFile(path, 'b');
    await file.store('a');
    assert.equal(await readFile(path, 'utf8'), 'a');
  }));

test('a configuration file may have UTF-16 with a byte order mark, as an editor has saved it', () =>
  withPath(async (path, folder) => {
    await mkdir(folder);
    const little = Buffer.from('\ufeff# schön\nmachine: {}\n', 'utf16le');
    for (const bytes of [little, Buffer.from(little).swap16()]) {
      await writeFile(path, bytes);
      assert.equal(await createConfigurationFile(path).read(), '# schön\nmachine: {}\n');
    }
    await writeFile(path, Buffer.from([0x61, 0x3a, 0xff, 0x0a]));
    assert.equal(await createConfigurationFile(path).read(), 'a:\ufffd\n');
  }));

test('a configuration file names its path in errors', () =>
  withPath(async (path) => {
    await mkdir(join(path, 'x'), { recursive: true });
    const file = createConfigurationFile(path);
    const named = (error: Error) => error.message.includes(`"${path}"`);
    await assert.rejects(file.read(), named);
    await assert.rejects(file.store('a'), named);
  }));
