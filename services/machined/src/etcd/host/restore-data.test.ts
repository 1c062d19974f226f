import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { restoreData } from './restore-data.ts';

const folder = mkdtempSync(join(tmpdir(), 'restore-data-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const isRoot = process.getuid?.() === 0;
// Only root can give files away.
const owner = isRoot ? { uid: 60, gid: 60 } : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

async function makeMember(draft: string): Promise<void> {
  mkdirSync(join(draft, 'member', 'snap'), { recursive: true });
  writeFileSync(join(draft, 'member', 'snap', 'db'), 'restored');
}

test('the restored data belong to the user of etcd and leave no draft', async () => {
  const data = join(folder, 'etcd');
  await restoreData({ data, owner }, makeMember);
  const db = join(data, 'member', 'snap', 'db');
  assert.equal(readFileSync(db, 'utf8'), 'restored');
  for (const path of [db, join(data, 'member', 'snap'), join(data, 'member')])
    assert.deepEqual([statSync(path).uid, statSync(path).gid], [owner.uid, owner.gid], path);
  assert.deepEqual(readdirSync(folder), ['etcd']);
});

test('a restore that fails leaves the data empty', async () => {
  const data = join(folder, 'failed');
  const fails = async (draft: string) => {
    await makeMember(draft);
    throw new Error('broken snapshot');
  };
  await assert.rejects(restoreData({ data, owner }, fails), /broken snapshot/);
  assert.deepEqual(readdirSync(folder), ['etcd']);
});
