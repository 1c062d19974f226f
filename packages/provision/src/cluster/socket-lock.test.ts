import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { holdPlaceLock } from '../docker/choose-place.ts';
import { recordTestSupervisor } from '../testing/recorded-supervisor.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { clusterFolder } from './cluster-folder.ts';
import { lockCluster } from './cluster-lock.ts';
import type { LockPlace } from './lock-entry.ts';
import { askLockOwner, holdSocketLock } from './socket-lock.ts';
import { holdSupervisorLock } from './supervisor-record.ts';

/** A user without rights. */
const nobody = 65534;
const describeSelf = () => ({ pid: process.pid });

async function openPlace(...below: string[]) {
  const home = await openTemporaryFolder();
  const folder = join(home.path, ...below);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const place: LockPlace = { folder, name: 'change' };
  return { place, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

test('holdSocketLock() admits one process at a time, describes it to the others, and leaves nothing', async () => {
  // Longer than the address of a socket may be.
  for (const below of [['short'], ['a'.repeat(120), 'b'.repeat(200)]]) {
    await using opened = await openPlace(...below);
    const { place } = opened;
    const first = await holdSocketLock(place, () => ({ pid: 1 }));
    assert.ok(first !== undefined);
    assert.equal(await holdSocketLock(place, () => ({ pid: 2 })), undefined);
    assert.deepEqual(await askLockOwner(place), { pid: 1 });
    await first[Symbol.asyncDispose]();
    assert.equal(await askLockOwner(place), undefined);
    assert.deepEqual(await readdir(place.folder), []);
  }
});

test('holdSocketLock() gives the lock to exactly one of many callers at once', async () => {
  await using opened = await openPlace();
  for (let round = 0; round < 5; round++) {
    const results = await Promise.all(
      Array.from({ length: 10 }, () => holdSocketLock(opened.place, describeSelf)),
    );
    const winners = results.filter((result) => result !== undefined);
    assert.equal(winners.length, 1);
    await winners[0]?.[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(opened.place.folder), []);
  }
});

test('a process that gives way before it answers is not taken for the holder', async () => {
  await using opened = await openPlace();
  const { place } = opened;
  const before = await holdSocketLock(place, describeSelf);
  const [name = ''] = await readdir(place.folder);
  await before?.[Symbol.asyncDispose]();
  // It closes as a candidate does that has seen another one: the connection is in its queue and gets no answer.
  const server = createServer((socket) => {
    socket.destroy();
    server.close();
  }).listen(join(place.folder, name));
  await once(server, 'listening');
  await using lock = await holdSocketLock(place, describeSelf);
  assert.ok(lock !== undefined);
});

/** Takes the lock of a folder in a process of its own, which says `held` or `refused` and waits. */
function startHolder({ folder, name }: LockPlace) {
  const module = join(import.meta.dirname, 'socket-lock.ts');
  const program = `
    const { holdSocketLock } = await import(${JSON.stringify(module)});
    const place = ${JSON.stringify({ folder, name })};
    const lock = await holdSocketLock(place, () => ({ pid: process.pid }));
    process.stdout.write(lock === undefined ? 'refused' : 'held');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return { child, said: once(child.stdout, 'data').then(([data]) => String(data)) };
}

test('the lock of a process that was killed is free, and what it left is removed', async () => {
  await using opened = await openPlace();
  const { place } = opened;
  const { child, said } = startHolder(place);
  assert.equal(await said, 'held');
  assert.equal(await holdSocketLock(place, describeSelf), undefined);
  assert.deepEqual(await askLockOwner(place), { pid: child.pid });
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  assert.equal((await readdir(place.folder)).length, 1);
  const lock = await holdSocketLock(place, describeSelf);
  assert.ok(lock !== undefined);
  assert.equal((await readdir(place.folder)).length, 1);
  await lock[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(place.folder), []);
});

test('lockCluster() is not kept from a cluster by a socket that any user can make', async () => {
  await using home = await openTemporaryFolder();
  const folder = join(home.path, 'lab');
  // The names that earlier versions used.
  const digest = createHash('sha256').update(folder).digest('hex');
  const squatters = ['change', 'supervise'].map((purpose) =>
    createServer().listen(`\0nodewright/${purpose}/${digest}`),
  );
  try {
    await Promise.all(squatters.map((server) => server.listening || once(server, 'listening')));
    {
      await using _lock = await lockCluster({ clustersFolder: home.path, name: 'lab' });
      await assert.rejects(lockCluster({ clustersFolder: home.path, name: 'lab' }), {
        kind: 'aborted',
        message: `another command (pid ${process.pid}) is changing cluster "lab": wait for it to end`,
      });
      await using _other = await lockCluster({ clustersFolder: home.path, name: 'lab2' });
    }
    assert.deepEqual(await readdir(home.path), []);
    await mkdir(folder, { mode: 0o700 });
    await using _supervisor = await holdSupervisorLock(clusterFolder(folder), 'lab', describeSelf);
  } finally {
    for (const server of squatters) server.close();
  }
});

test('another user can neither connect to the lock of a cluster nor take it', async (t) => {
  if (process.geteuid?.() !== 0) return t.skip('needs root, to run a program as another user');
  await using home = await openTemporaryFolder();
  await chmod(home.path, 0o755);
  await using _lock = await lockCluster({ clustersFolder: home.path, name: 'lab' });
  const folder = join(home.path, '.lab.lock');
  const [entry = ''] = await readdir(folder);
  const program = `
    const { connect, createServer } = require('node:net');
    const say = (event, code) => process.stdout.write(event + ' ' + code + '\\n');
    const report = (what) => (error) => say(what, error.code);
    connect(${JSON.stringify(join(folder, entry))}, () => say('connect', 'done')).on('error', report('connect'));
    for (const path of ${JSON.stringify([join(folder, 'change.01234567.01234567.0123456789abcdef.sock'), join(home.path, '.lab2.lock')])})
      createServer().listen(path, () => say('listen', 'done')).on('error', report('listen'));`;
  const { error, stdout } = spawnSync(process.execPath, ['-e', program], {
    ...{ uid: nobody, gid: nobody, cwd: '/', encoding: 'utf8', timeout: 60_000 },
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'EACCES')
    return t.skip('another user cannot run this Node.js');
  assert.deepEqual(stdout.trim().split('\n').toSorted(), [
    'connect EACCES',
    'listen EACCES',
    'listen EACCES',
  ]);
});

test('a folder that others may write to, or that belongs to another user, is no place for the lock', async (t) => {
  await using home = await openTemporaryFolder();
  const folder = join(home.path, '.lab.lock');
  await mkdir(folder);
  await chmod(folder, 0o770);
  await assert.rejects(lockCluster({ clustersFolder: home.path, name: 'lab' }), {
    kind: 'failed-precondition',
    message: `other users may write to ${folder}: run chmod 0700 on it first`,
  });
  await chmod(folder, 0o700);
  if (process.geteuid?.() !== 0) return t.skip('needs root, to be another user');
  const module = join(import.meta.dirname, 'cluster-lock.ts');
  await chown(folder, 1, 1);
  await chmod(folder, 0o755);
  await chmod(home.path, 0o755);
  const program = `
    process.seteuid(${nobody});
    await lockCluster({ clustersFolder: ${JSON.stringify(home.path)}, name: 'lab' }).catch(({ message }) => process.stdout.write(message));`;
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { lockCluster } = await import(${JSON.stringify(module)});${program}`,
    ],
    { encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(stdout, `${folder} belongs to the user with the id 1: keep clusters in a folder of your own`);
});

test('holdSupervisorLock() leaves the cluster to a supervisor of an earlier version', async () => {
  await using recorded = await recordTestSupervisor();
  await assert.rejects(holdSupervisorLock(recorded.folder, 'lab', describeSelf), {
    kind: 'already-exists',
    message: `a supervisor already runs cluster "lab" (pid ${recorded.pid})`,
  });
  await writeFile(recorded.folder.supervisorPid, '999999999\n');
  await using _lock = await holdSupervisorLock(recorded.folder, 'lab', describeSelf);
});

test('holdPlaceLock() does not wait for ever for a socket that any user can keep', async () => {
  const path = `\0socket-lock-test/${process.pid}`;
  const squatter = createServer().listen(path);
  await once(squatter, 'listening');
  const signal = new AbortController().signal;
  await using _lock = await holdPlaceLock(signal, { path, patience: 0 });
  squatter.close();
});
