import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findEtcd, randomLoopback, skipWithoutEtcd } from '@nodewright/etcd/testing';
import { runProgram } from '@nodewright/linux';
import { emptyEtcdData, isEtcdDataEmpty, isEtcdDataIncomplete, removeEtcdLeftovers } from './data-folder.ts';

test('isEtcdDataIncomplete() recognizes the data of a real etcd that stopped before it joined a cluster', {
  skip: skipWithoutEtcd(),
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'etcd-data-'));
  await using _folder = {
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
  const address = randomLoopback();
  const [client, peer] = [`http://${address}:2379`, `http://${address}:2380`];
  const run = runProgram({
    argv: [
      findEtcd()?.etcd ?? '',
      ...['--name=node01', `--data-dir=${join(folder, 'data')}`],
      ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
      '--initial-cluster-state=existing',
      `--initial-cluster=node01=${peer},node02=http://${randomLoopback()}:2380`,
    ],
    environment: process.env,
    timeoutMs: 30_000,
  });
  await assert.rejects(run, /could not retrieve cluster information/);
  assert.equal(await isEtcdDataIncomplete(join(folder, 'data')), true);
  assert.equal(await isEtcdDataEmpty(join(folder, 'data')), false);
});

test('isEtcdDataIncomplete() is false for an empty or missing folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'etcd-data-'));
  await using _folder = {
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
  assert.deepEqual(await readdir(folder), []);
  assert.deepEqual(
    [await isEtcdDataIncomplete(folder), await isEtcdDataIncomplete(join(folder, 'none'))],
    [false, false],
  );
});

const dataFiles = ['snap/db', 'snap/0000000000000002-0000000000000001.snap', 'wal/0.tmp', 'wal/0-0.wal'];

async function openData() {
  const folder = await mkdtemp(join(tmpdir(), 'etcd-data-'));
  for (const file of dataFiles) {
    await mkdir(dirname(join(folder, 'member', file)), { recursive: true });
    await writeFile(join(folder, 'member', file), file);
  }
  return {
    folder,
    /** The files that etcd would find. */
    async seen() {
      const names = await readdir(join(folder, 'member'), { recursive: true }).catch(() => []);
      return names.filter((name) => dataFiles.includes(name)).sort();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Removes file by file, the log first, and fails as at a power cut once it has removed `count` files. */
function cutAfter(count: number) {
  let removed = 0;
  return async (path: string) => {
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder ? await readdir(path, { recursive: true }) : [];
    for (const name of names.sort().reverse()) {
      if (removed === count) throw new Error('power cut');
      if ((await stat(join(path, name))).isDirectory()) continue;
      await rm(join(path, name));
      removed += 1;
    }
    await rm(path, { recursive: true });
  };
}

test('a power cut while the data are removed leaves all of them or none', async () => {
  for (let count = 0; count < dataFiles.length; count += 1) {
    await using data = await openData();
    await assert.rejects(emptyEtcdData(data.folder, cutAfter(count)), /power cut/);
    assert.deepEqual(await data.seen(), [], `after ${count} files`);
    assert.deepEqual(
      [await isEtcdDataEmpty(data.folder), await isEtcdDataIncomplete(data.folder)],
      [true, false],
    );
    await removeEtcdLeftovers(data.folder);
    assert.deepEqual(await readdir(data.folder), []);
  }
});

test('data are removed although an earlier removal was interrupted', async () => {
  await using data = await openData();
  await assert.rejects(emptyEtcdData(data.folder, cutAfter(1)), /power cut/);
  await mkdir(join(data.folder, 'member'));
  await emptyEtcdData(data.folder);
  assert.deepEqual(await readdir(data.folder), []);
  await emptyEtcdData(join(data.folder, 'none'));
});
