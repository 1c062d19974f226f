import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { digestOf } from '../digest.ts';
import { blobFileOf, type Piece } from './blob-file.ts';
import { VerifiedFiles } from './verified-files.ts';

const content = randomBytes(600_000);
const digest = digestOf(content);

/** A blob on a medium that damages it without changing the times of its file, and a clock. */
function openMedium(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'blob-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'blob');
  const clock = { nowMs: 0 };
  const verified = new VerifiedFiles(() => clock.nowMs);
  const put = (bytes: Uint8Array) => writeFileSync(path, bytes);
  const damage = () => put(Buffer.from(content).fill(0, 300_000, 300_001));
  put(content);
  const read = async (piece?: Piece): Promise<Buffer> => {
    const handle = await open(path);
    const file = { handle, start: 0, size: content.length, identity: 'the same' };
    await using blob = await blobFileOf(
      { ...file, [Symbol.asyncDispose]: () => handle.close() },
      digest,
      verified,
    );
    assert.ok(blob, 'the blob is known to be damaged');
    const chunks: Buffer[] = [];
    for await (const chunk of blob.read(piece)) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  };
  return { clock, damage, read };
}

test('a blob that was verified is read without its digest for ten minutes, and then verified again', async (t) => {
  const { clock, damage, read } = openMedium(t);
  assert.deepEqual(await read(), content);
  damage();
  clock.nowMs = 599_999;
  assert.equal((await read()).length, content.length);
  clock.nowMs = 600_000;
  await assert.rejects(read(), { kind: 'data-loss' });
  await assert.rejects(read(), { message: 'the blob is known to be damaged' });
});

for (const piece of [undefined, { start: 0, end: content.length }, { start: 5, end: 10 }]) {
  const what = piece === undefined ? 'the blob' : `its bytes ${piece.start} to ${piece.end}`;
  test(`nothing is read to its end of a damaged file that was never verified: ${what}`, async (t) => {
    const { damage, read } = openMedium(t);
    damage();
    await assert.rejects(read(piece), { kind: 'data-loss' });
  });
}

test('a piece comes from a file that was verified, and is verified again after ten minutes', async (t) => {
  const { clock, damage, read } = openMedium(t);
  const piece = { start: 250_000, end: 550_000 };
  assert.deepEqual(await read(piece), content.subarray(250_000, 550_000));
  damage();
  clock.nowMs = 600_000;
  await assert.rejects(read(piece), { kind: 'data-loss' });
});
