import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMetaFile } from './meta-file.ts';

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'meta-'));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a META file returns the values that were written, including binary ones', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'meta.json');
    const file = createMetaFile(path);
    assert.deepEqual(await file.read(), new Map());
    const values = new Map([
      [6, Buffer.from('A')],
      [255, Buffer.from([0, 0xff])],
      [12, Buffer.alloc(0)],
    ]);
    await file.write(values);
    assert.deepEqual(await createMetaFile(path).read(), values);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  }));

test('a META file reports damage and can be put aside', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'meta.json');
    const file = createMetaFile(path);
    for (const text of ['', '{', '[]', '{"6":""}', '{"0x06":1}']) {
      await writeFile(path, text);
      await assert.rejects(file.read(), { kind: 'data-loss', message: /is damaged/ }, text);
    }
    await file.putAside();
    assert.deepEqual([await readdir(folder), (await file.read()).size], [['meta.json.damaged'], 0]);
  }));
