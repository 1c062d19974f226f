import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadNativeCalls } from '@nodewright/linux';
import { boundLogs } from './bounded-log.ts';
import { readLog } from './container-logs.ts';

const folder = mkdtempSync(join(tmpdir(), 'bounded-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'system'));
const keepBytes = 64 * 1024;
const { forgetBytes } = await loadNativeCalls();
const line = (index: number) => `${String(index).padStart(15, '0')}\n`;
const linesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => line(first + index)).join('');

async function textOf(path: string, tailLines?: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readLog({ path, tailLines })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('boundLogs() frees the space of old output, and readers begin where output is kept', async () => {
  const path = join(folder, 'system', 'long.log');
  writeFileSync(path, linesFrom(0, 100_000));
  await boundLogs({ folder, keepBytes, forgetBytes });
  const { size, blocks } = statSync(path);
  assert.equal(size, 1_600_000);
  assert.ok(blocks * 512 < 3 * keepBytes, `${blocks * 512} bytes of room`);
  appendFileSync(path, linesFrom(100_000, 10));
  const text = await textOf(path);
  assert.ok(text.length >= keepBytes && text.length < 2 * keepBytes, `${text.length} bytes are kept`);
  assert.ok(linesFrom(0, 100_010).endsWith(text));
  assert.equal(await textOf(path, 3), linesFrom(100_007, 3));
});

test('boundLogs() does not change short or missing logs', async () => {
  const path = join(folder, 'system', 'short.log');
  writeFileSync(path, linesFrom(0, 100));
  await boundLogs({ folder, keepBytes, forgetBytes });
  assert.equal(readFileSync(path, 'utf8'), linesFrom(0, 100));
  await boundLogs({ folder: join(folder, 'none'), keepBytes, forgetBytes });
});

test('a log that begins with zero bytes is read from its beginning', async () => {
  const path = join(folder, 'zeros.log');
  writeFileSync(path, '\0\0begins so\n');
  assert.equal(await textOf(path), '\0\0begins so\n');
});
