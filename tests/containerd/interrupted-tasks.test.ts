// containerd was killed while it created a task. Whatever it had made by then, the container can be started afterwards.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { removeInterruptedTasks } from '@nodewright/containers/interrupted-tasks';
import { importImage, openBench } from './bench.ts';
import { noContainerd } from './start-containerd.ts';

const image = 'registry.example/test/shell:v1';
const never = new AbortController().signal;
const tasksOf = (state: string, namespace: string) => join(state, 'io.containerd.runtime.v2.task', namespace);

/** What there is in the folder of a task, in the order in which containerd and the shim make it. */
const steps: readonly ((folder: string) => void)[] = [
  (folder) => mkdirSync(folder, { recursive: true }),
  (folder) => mkdirSync(join(folder, 'rootfs')),
  (folder) => symlinkSync('/nonexistent', join(folder, 'work')),
  (folder) => writeFileSync(join(folder, 'config.json'), '{"ociVersion":'),
  (folder) => writeFileSync(join(folder, 'shim-binary-path'), '/nonexistent/containerd-shim-runc-v2'),
  (folder) => writeFileSync(join(folder, 'address'), 'unix:///nonexistent'),
  (folder) => writeFileSync(join(folder, 'options.json'), '{}'),
];

test('a container starts after its creation was interrupted at any step', {
  skip: noContainerd,
  timeout: 120_000,
}, async () => {
  await using bench = await openBench();
  const { containers, images } = bench.system;
  await importImage(images, image);
  const ids = steps.map((_, index) => `after-${index + 1}`);
  for (const id of ids) await containers.create({ id, image, command: ['/bin/sh', '-c', 'exit 6'] });
  await bench.containerd.kill();
  const tasks = tasksOf(join(bench.containerd.folder, 'state'), 'system');
  for (const [index, id] of ids.entries())
    for (const step of steps.slice(0, index + 1)) step(join(tasks, id));
  await bench.containerd.restart();
  for (const id of ids) {
    await containers.start(id);
    assert.equal((await containers.wait(id)).code, 6, id);
    await containers.remove(id);
  }
});

test('tasks that were started, roots with something in them and what is no folder stay', async () => {
  const state = mkdtempSync(join(tmpdir(), 'state-'));
  try {
    const tasks = tasksOf(state, 'k8s.io');
    for (const id of ['begun', 'full', 'linked', 'started']) mkdirSync(join(tasks, id), { recursive: true });
    mkdirSync(join(tasks, 'begun', 'rootfs'));
    mkdirSync(join(tasks, 'full', 'rootfs', 'etc'), { recursive: true });
    symlinkSync(state, join(tasks, 'linked', 'rootfs'));
    writeFileSync(join(tasks, 'started', 'runtime'), '');
    writeFileSync(join(tasks, 'file'), '');
    assert.deepEqual(await removeInterruptedTasks(state, systemTimers, never), ['k8s.io/begun']);
    assert.deepEqual(
      ['begun', 'file', 'full', 'linked', 'started'].filter((name) => existsSync(join(tasks, name))),
      ['file', 'full', 'linked', 'started'],
    );
    assert.deepEqual(await removeInterruptedTasks(join(state, 'missing'), systemTimers, never), []);
  } finally {
    rmSync(state, { recursive: true });
  }
});

test('the shim of a task that was not started is killed first', async () => {
  const state = mkdtempSync(join(tmpdir(), 'state-'));
  const folder = join(tasksOf(state, 'system'), 'one');
  mkdirSync(join(folder, 'rootfs'), { recursive: true });
  const shim = spawn('sleep', ['1000'], { cwd: folder });
  const ended = once(shim, 'exit');
  try {
    assert.deepEqual(await removeInterruptedTasks(state, systemTimers, never), ['system/one']);
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    assert.equal(existsSync(folder), false);
  } finally {
    shim.kill();
    rmSync(state, { recursive: true });
  }
});
