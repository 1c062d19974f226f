// `up` and `down` of several processes at once, which share the copies of packages.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from '@nodewright/files';
import { eventually } from '@nodewright/testkit';
import { startUp } from './start-up.ts';
import { takeDown } from './take-down.ts';
import { openPackage } from './testing.ts';

test('takeDown() keeps the copy that startUp() is writing', async (t) => {
  const { source, data, copy, notes, init } = openPackage(t);
  // Reading from a pipe waits for its writer.
  rmSync(join(source, 'LICENSE'));
  assert.equal(spawnSync('mkfifo', [join(source, 'LICENSE')]).status, 0);
  const starting = startUp(init('a'));
  const drafts = () =>
    (existsSync(data) ? readdirSync(data) : []).filter((name) => name.startsWith('.draft-'));
  await eventually(() => drafts().length === 1, { what: 'draft' });
  assert.equal(await takeDown(init('none')), 0);
  assert.equal(drafts().length, 1);
  assert.deepEqual(notes, [
    `the programs in ${data} stay: process ${process.pid} is starting a cluster from them`,
  ]);
  writeFileSync(join(source, 'LICENSE'), 'free');
  assert.equal(await starting, 0);
  assert.ok(existsSync(join(copy, 'LICENSE')));
  assert.equal(await takeDown(init('a')), 0);
  assert.equal(existsSync(data), false);
});

test('takeDown() keeps the copy from which startUp() is creating a cluster', async (t) => {
  const { data, copy, init } = openPackage(t);
  const home = join(data, 'talos');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'wait'), '');
  const starting = startUp(init('a'));
  await eventually(() => existsSync(join(home, 'started')), { what: 'talosctl' });
  // Its own talosctl does not wait, because its TALOS_HOME is another.
  assert.equal(await takeDown(init('none', join(data, '..', 'other'))), 0);
  assert.ok(existsSync(join(copy, 'LICENSE')));
  rmSync(join(home, 'wait'));
  assert.equal(await starting, 0);
});

test('startUp() waits while takeDown() removes copies, and gives up with a reason', async (t) => {
  const { data, init } = openPackage(t);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const lock = await lockFile(join(data, '.lock'));
  const starting = startUp(init('a'));
  await sleep(500);
  const names = readdirSync(data).filter((name) => !name.startsWith('.lock'));
  assert.deepEqual(names, []);
  await lock[Symbol.asyncDispose]();
  assert.equal(await starting, 0);
  await using _lock = await lockFile(join(data, '.lock'));
  await assert.rejects(startUp(init('b')), {
    message: `${data}/.lock is locked by process ${process.pid}: delete the file if that process is not nodewright`,
  });
});

test('takeDown() ignores an "up" that was killed', async (t) => {
  const { data, init } = openPackage(t);
  assert.equal(await startUp(init('a')), 0);
  const { pid } = spawnSync('true');
  writeFileSync(join(data, `.up-${pid}-0123456789ab`), '');
  assert.equal(await takeDown(init('a')), 0);
  assert.equal(existsSync(data), false);
});

test('takeDown() keeps a folder in which another command is creating a cluster', async (t) => {
  const { data, init } = openPackage(t);
  assert.equal(await startUp(init('a')), 0);
  // The lock of "talosctl cluster create", which writes its state later.
  const lock = join(data, 'talos', 'clusters', '.b.lock');
  mkdirSync(lock);
  assert.equal(await takeDown(init('a')), 0);
  assert.ok(existsSync(lock));
});

test('many calls of startUp() and takeDown() at once leave a cluster its programs, and nothing of the others', async (t) => {
  const { data, copy, init } = openPackage(t);
  assert.equal(await startUp(init('a')), 0);
  const names = ['b', 'c', 'd'];
  const cycle = async (name: string) => [await startUp(init(name)), await takeDown(init(name))];
  assert.deepEqual(
    await Promise.all(names.map(cycle)),
    names.map(() => [0, 0]),
  );
  assert.ok(existsSync(join(copy, 'LICENSE')));
  assert.deepEqual(readdirSync(data).toSorted(), ['0.1.0-abc', 'talos']);
  assert.equal(await takeDown(init('a')), 0);
  assert.equal(existsSync(data), false);
});
