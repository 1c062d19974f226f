import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findEtcd, randomLoopback, skipWithoutEtcd } from '@nodewright/etcd/testing';
import { runProgram } from '@nodewright/linux';
import { isEtcdDataEmpty, isEtcdDataIncomplete } from './data-folder.ts';

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
