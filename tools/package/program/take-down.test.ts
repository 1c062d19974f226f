import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startUp } from './start-up.ts';
import { takeDown } from './take-down.ts';
import { openPackage } from './testing.ts';

test('takeDown() keeps the programs while clusters of another TALOS_HOME are left', async (t) => {
  const { folder, data, copy, notes, init } = openPackage(t);
  const mine = join(folder, 'mine');
  assert.equal(await startUp(init('a')), 0);
  assert.equal(await startUp(init('b', mine)), 0);
  assert.equal(await takeDown(init('a')), 0);
  assert.ok(existsSync(join(copy, 'LICENSE')));
  assert.equal(notes.at(-1), `the programs in ${data} stay for the cluster b in ${mine}`);
  // The same the other way round: the folder of data has a cluster, and TALOS_HOME is another.
  assert.equal(await startUp(init('a')), 0);
  assert.equal(await takeDown(init('b', mine)), 0);
  assert.ok(existsSync(join(copy, 'LICENSE')));
  assert.equal(notes.at(-1), `the programs in ${data} stay for the cluster a in ${join(data, 'talos')}`);
  assert.equal(await takeDown(init('a')), 0);
  assert.equal(existsSync(data), false);
});

test('takeDown() keeps the programs while the clusters of another TALOS_HOME cannot be read', async (t) => {
  const { folder, data, copy, notes, init } = openPackage(t);
  const mine = join(folder, 'mine');
  assert.equal(await startUp(init('a')), 0);
  assert.equal(await startUp(init('b', mine)), 0);
  rmSync(join(mine, 'clusters'), { recursive: true });
  writeFileSync(join(mine, 'clusters'), '');
  assert.equal(await takeDown(init('a')), 0);
  assert.ok(existsSync(join(copy, 'LICENSE')));
  assert.match(notes.at(-1) ?? '', /^the programs in \S+ stay: the clusters in \S+\/mine cannot be read: /);
  // A TALOS_HOME that was removed has no clusters.
  rmSync(mine, { recursive: true });
  assert.equal(await takeDown(init('a')), 0);
  assert.equal(existsSync(data), false);
});

test('takeDown() keeps a copy from which a program runs', async (t) => {
  const { folder, data, copy, notes, init } = openPackage(t);
  assert.equal(await startUp(init('a')), 0);
  // A cluster that was created with --state is in no list.
  const program = join(folder, 'sleep');
  copyFileSync('/bin/sleep', program);
  chmodSync(program, 0o755);
  mkdirSync(join(copy, 'bin'));
  copyFileSync(program, join(copy, 'bin', 'sleep'));
  const child = spawn(join(copy, 'bin', 'sleep'), ['60']);
  await once(child, 'spawn');
  try {
    assert.equal(await takeDown(init('a')), 0);
    assert.ok(existsSync(join(copy, 'LICENSE')));
    assert.equal(notes.at(-1), `${copy} stays: process ${child.pid} runs from it`);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  assert.equal(await takeDown(init('a')), 0);
  assert.equal(existsSync(data), false);
});
