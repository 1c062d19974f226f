import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEtcdClient } from '@nodewright/etcd';
import {
  createTestPki,
  findEtcd,
  randomLoopback,
  skipWithoutEtcd,
  startEtcd,
} from '@nodewright/etcd/testing';
import { Fault } from '@nodewright/fault';
import { openExitGuard } from '@nodewright/services';
import { LogStore } from '@nodewright/services/logs';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { createProcessEtcd } from './process-etcd.ts';

const skip = skipWithoutEtcd();
const never = new AbortController().signal;

async function openRig(programs: { etcd: string; etcdutl: string }) {
  const folder = await mkdtemp(join(tmpdir(), 'process-etcd-'));
  const guard = openExitGuard();
  const at = (name: string) => join(folder, name);
  const folders = { data: at('data'), secrets: at('secrets'), snapshot: at('snapshot') };
  await mkdir(folders.data);
  return {
    folder,
    folders,
    runtime: createProcessEtcd({
      ...programs,
      ...{ folders, guard, environment: process.env, workingDirectory: folder },
      log: new LogStore().open('etcd'),
    }),
    async [Symbol.asyncDispose]() {
      guard[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const restore = {
  name: 'node01',
  peerUrls: ['https://10.0.0.5:2380'],
  initialCluster: 'node01=https://10.0.0.5:2380',
  initialClusterToken: 'restored-1',
  skipHashCheck: false,
};

test('etcd as a process reports its version and restores a snapshot atomically', {
  skip,
}, async () => {
  const programs = findEtcd();
  assert.ok(programs !== undefined);
  await using rig = await openRig(programs);
  assert.equal((await rig.runtime.version(never)).major, 3);

  const pki = await createTestPki();
  await using member = await startEtcd({ name: 'source', pki, address: randomLoopback() });
  await using client = openEtcdClient({
    endpoints: [member.endpoint],
    tls: pki.admin,
    telemetry: noTelemetry,
  });
  await eventually(async () => (await client.put('a', 'b')) > 0n, {
    what: 'etcd that answers',
    timeoutMs: 30_000,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.snapshot()) chunks.push(chunk);
  const whole = Buffer.concat(chunks);

  const damaged = Buffer.from(whole);
  damaged[100] = (damaged[100] ?? 0) ^ 1;
  await writeFile(rig.folders.snapshot, damaged);
  await assert.rejects(rig.runtime.restore(restore, never), ({ kind, message }: Fault) => {
    assert.equal(kind, 'internal');
    assert.match(message, /^etcdutl: .*sha256/);
    return true;
  });
  assert.deepEqual(await readdir(rig.folder), ['data', 'snapshot']);
  assert.deepEqual(await readdir(rig.folders.data), []);

  await writeFile(rig.folders.snapshot, whole);
  await rig.runtime.restore(restore, never);
  assert.deepEqual(await readdir(rig.folders.data), ['member']);
  assert.deepEqual((await readdir(rig.folder)).sort(), ['data', 'snapshot']);
});

test('a missing program and a program that is not etcd are named in the error', async () => {
  await using rig = await openRig({ etcd: '/nowhere/etcd', etcdutl: '/nowhere/etcdutl' });
  await assert.rejects(
    rig.runtime.version(never),
    new Fault('unavailable', 'cannot start "/nowhere/etcd": ENOENT'),
  );
  await using other = await openRig({ etcd: '/bin/true', etcdutl: '/bin/true' });
  await assert.rejects(
    other.runtime.version(never),
    new Fault('failed-precondition', '"/bin/true" is not etcd: --version printed no etcd version'),
  );
});
