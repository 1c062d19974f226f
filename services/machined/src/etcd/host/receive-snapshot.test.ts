import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { receiveSnapshot } from './receive-snapshot.ts';

const folder = mkdtempSync(join(tmpdir(), 'receive-snapshot-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'etcd.snapshot');

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    if (text === 'broken') throw new Error('the stream broke');
    yield Buffer.from(text);
  }
}

test('receiveSnapshot() replaces an earlier snapshot with a file that only its owner can access', async () => {
  assert.equal(await receiveSnapshot(path, pieces('first')), 5);
  assert.equal(await receiveSnapshot(path, pieces('sec', 'ond')), 6);
  assert.equal(readFileSync(path, 'utf8'), 'second');
  assert.equal(statSync(path).mode & 0o777, 0o700);
});

test('receiveSnapshot() keeps the earlier snapshot and leaves no partial file when the upload fails or is empty', async () => {
  await receiveSnapshot(path, pieces('whole'));
  await assert.rejects(receiveSnapshot(path, pieces('ha', 'broken')), { message: 'the stream broke' });
  await assert.rejects(receiveSnapshot(path, pieces()), { kind: 'invalid-argument' });
  assert.deepEqual([readdirSync(folder), readFileSync(path, 'utf8')], [['etcd.snapshot'], 'whole']);
});

test('receiveSnapshot() removes partial files of a killed process, but not those of a running upload', async () => {
  const left = `${path}.${randomUUID()}`;
  writeFileSync(left, 'part');
  writeFileSync(`${path}.notes`, 'mine');
  const { promise: going, resolve: go } = Promise.withResolvers<void>();
  async function* slowly() {
    yield Buffer.from('slow');
    await going;
  }
  const slow = receiveSnapshot(path, slowly());
  await receiveSnapshot(path, pieces('quick'));
  assert.equal(existsSync(left), false);
  go();
  await slow;
  assert.equal(readFileSync(path, 'utf8'), 'slow');
  assert.deepEqual(readdirSync(folder).sort(), ['etcd.snapshot', 'etcd.snapshot.notes']);
  rmSync(`${path}.notes`);
});

test('receiveSnapshot() is not ready on a node whose folder does not exist yet', async () => {
  await assert.rejects(receiveSnapshot(join(folder, 'missing', 'etcd.snapshot'), pieces('x')), {
    kind: 'failed-precondition',
    message: 'etcd service is not ready for recovery yet',
  });
});
