import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { findEtcd } from './find-etcd.ts';

test('findEtcd() finds etcd next to the bundles or in the folder of the environment, or returns undefined', async () => {
  await using folder = await openTemporaryFolder();
  const dist = join(folder.path, 'dist');
  const found = (NODEWRIGHT_ETCD?: string) => findEtcd(dist, { NODEWRIGHT_ETCD });
  assert.equal(found(), undefined);
  for (const name of ['tools/etcd', 'own']) {
    await mkdir(join(folder.path, name), { recursive: true });
    await writeFile(join(folder.path, name, 'etcd'), '');
  }
  const programs = (name: string) => ({
    etcd: join(folder.path, name, 'etcd'),
    etcdutl: join(folder.path, name, 'etcdutl'),
  });
  assert.deepEqual(
    [found(), found(''), found(join(folder.path, 'own')), found('none')],
    [programs('tools/etcd'), programs('tools/etcd'), programs('own'), undefined],
  );
  await symlink('own', join(folder.path, 'link'));
  assert.deepEqual(found(join(folder.path, 'link')), programs('own'));
  const empty = join(folder.path, 'empty');
  assert.throws(
    () => found(empty),
    new Fault('failed-precondition', `NODEWRIGHT_ETCD is ${empty}, but this folder has no etcd`),
  );
});
