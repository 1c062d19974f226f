import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findEtcd, randomLoopback, skipWithoutEtcd } from '@nodewright/etcd/testing';
import { isEtcdDataEmpty, isEtcdUnborn } from './data-folder.ts';
import { runProgram } from './run-program.ts';

test('isEtcdUnborn() knows what a real etcd leaves that found no member of the cluster that it was to enter', {
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
  assert.equal(await isEtcdUnborn(join(folder, 'data')), true);
  assert.equal(await isEtcdDataEmpty(join(folder, 'data')), false);
});

test('isEtcdUnborn() says of an empty folder, and of none, that nothing was made there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'etcd-data-'));
  await using _folder = {
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
  assert.deepEqual(await readdir(folder), []);
  assert.deepEqual([await isEtcdUnborn(folder), await isEtcdUnborn(join(folder, 'none'))], [false, false]);
});
