// A cluster of processes from its creation to its destruction, with the built command line.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { eventually } from '@nodewright/testkit';
import { runTalosctl, startTalosctl } from '../run-talosctl.ts';
import { leftoversOf, processesOf } from './leftovers.ts';
import { openHome, openProcessCluster } from './process-cluster.ts';

const makeUp = ['cluster', 'create', '--provisioner', 'process', '--controlplanes', '3', '--workers', '1'];

test('a cluster of four nodes is created, and the command reports how long its nodes took to answer', async () => {
  await using home = await openHome();
  const { exitCode, stdout, stderr } = await runTalosctl(makeUp, { home: home.path });
  await runTalosctl(['cluster', 'destroy'], { home: home.path });
  assert.equal(exitCode, 0, stderr);
  assert.match(stdout, /^PROVISIONER +process\n/);
  assert.deepEqual(stdout.match(/^node\d\d/gm), ['node01', 'node02', 'node03', 'node04']);
  assert.match(stderr, /^secrets \d+\.\ds$/m);
  assert.match(stderr, /^cluster "talos-default": 4 nodes answer after \d+\.\ds$/m);
});

test('destroy lists what it removes, and leaves no process, no socket, no file and no context', async () => {
  await using home = await openHome();
  const cluster = await openProcessCluster({ controlPlanes: 1, workers: 1 }, { home: home.path });
  const { stderr, exitCode } = await cluster.talosctl('cluster', 'destroy', '--name', 'test');
  assert.equal(exitCode, 0, stderr);
  assert.match(
    stderr,
    /^destroying cluster "test":\n {2}nodes +node01, node02\n {2}processes +8 \(supervisor pid \d+\)\n/,
  );
  assert.deepEqual(leftoversOf(home.path, [cluster.view.network.cidr]), []);
  const config = parseTalosconfig(await readFile(join(home.path, 'config'), 'utf8'));
  assert.deepEqual([config.context, config.contexts.size], ['', 0]);
});

test('destroy of a cluster that does not exist fails with a clear error, and succeeds when asked to ignore that', async () => {
  await using home = await openHome();
  const words = ['cluster', 'destroy', '--name', 'ghost'];
  const missing = await runTalosctl(words, { home: home.path });
  assert.deepEqual(missing, {
    exitCode: 1,
    stdout: '',
    stderr: `error: no cluster "ghost" in ${home.path}/clusters: "talosctl cluster list" lists those that exist\n`,
  });
  assert.equal((await runTalosctl([...words, '--if-present'], { home: home.path })).exitCode, 0);
  assert.deepEqual(leftoversOf(home.path, []), []);
});

test('two clusters run at once, and an address range in use is reported with its owner', async () => {
  await using home = await openHome();
  await using one = await openProcessCluster(
    { controlPlanes: 1, workers: 0 },
    { home: home.path, name: 'one' },
  );
  await using two = await openProcessCluster(
    { controlPlanes: 1, workers: 0 },
    { home: home.path, name: 'two' },
  );
  assert.notEqual(one.view.network.cidr, two.view.network.cidr);
  for (const name of ['one', 'two']) {
    const { exitCode, stderr } = await two.talosctl('--context', name, '-n', 'node01', 'version');
    assert.equal(exitCode, 0, stderr);
  }

  const { cidr } = one.view.network;
  const clash = await two.talosctl('cluster', 'create', '--name', 'three', '--cidr', cidr);
  assert.deepEqual(
    clash.stderr.trimEnd().split('\n').at(-1),
    [
      `error: ${cidr} belongs to cluster "one" in ${one.view.folder} (supervisor pid ${one.view.supervisor?.pid})`,
    ].join(),
  );
  assert.deepEqual(readdirSync(join(home.path, 'clusters')).toSorted(), ['one', 'two']);
});

test('a cluster whose supervisor is killed ends, and the same command starts it again', async () => {
  await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 1 });
  process.kill(cluster.view.supervisor?.pid ?? 0, 'SIGKILL');
  await eventually(() => processesOf(cluster.home).length === 0, { what: 'end of all processes' });
  assert.equal((await cluster.show()).state, 'stopped');

  const words = ['cluster', 'create', '--name', 'test', '--workers', '1', '--if-absent'];
  const again = await cluster.talosctl(...words);
  assert.equal(again.exitCode, 0, again.stderr);
  assert.match(again.stderr, /^cluster "test" exists and is stopped: starting it again\n/);
  assert.deepEqual((await cluster.show()).network, cluster.view.network);
  const kept = await cluster.talosctl(...words);
  assert.deepEqual([kept.exitCode, kept.stderr.split('\n')[0]], [0, 'cluster "test" already runs']);
  assert.equal((await cluster.talosctl('cluster', 'create', '--name', 'test', '--workers', '1')).exitCode, 1);
});

test('destroy of a second cluster makes the first one current again', async () => {
  await using home = await openHome();
  await using first = await openProcessCluster(
    { controlPlanes: 1, workers: 0 },
    { home: home.path, name: 'one' },
  );
  const second = await openProcessCluster({ controlPlanes: 1, workers: 0 }, { home: home.path, name: 'two' });
  const list = await first.talosctl('cluster', 'list', '-o', 'json');
  assert.deepEqual(
    JSON.parse(list.stdout).map(({ name, state, running }: Record<string, unknown>) => [
      name,
      state,
      running,
    ]),
    [
      ['one', 'running', 1],
      ['two', 'running', 1],
    ],
  );
  // Without a name, the command uses the cluster of the current context.
  const shown = async () => JSON.parse((await first.talosctl('cluster', 'show', '-o', 'json')).stdout).name;
  assert.equal(await shown(), 'two');
  await first.talosctl('config', 'context', 'one');
  assert.equal(await shown(), 'one');
  await first.talosctl('config', 'context', 'two');
  await second[Symbol.asyncDispose]();
  const { exitCode, stderr } = await first.talosctl('memory');
  assert.equal(exitCode, 0, stderr);
});

test('a cluster whose folder is removed ends by itself', async () => {
  await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 0 });
  await rm(cluster.view.folder, { recursive: true, force: true });
  await eventually(() => processesOf(cluster.home).length === 0, { what: 'end of all processes' });
});

test('an interrupted create removes what it made', async () => {
  await using home = await openHome();
  const child = startTalosctl(makeUp, { home: home.path });
  await new Promise<void>((resolve) => child.stderr.once('data', () => resolve()));
  child.kill('SIGINT');
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
  // It may have finished just before the signal: then the cluster exists and is complete.
  const { exitCode, stdout } = await runTalosctl(['cluster', 'show', '-o', 'json'], { home: home.path });
  if (exitCode === 0) assert.equal(JSON.parse(stdout).state, 'running');
  else assert.deepEqual(leftoversOf(home.path, []), []);
  await runTalosctl(['cluster', 'destroy', '--if-present'], { home: home.path });
});

test('destroy removes all that a create leaves, whenever it is killed', async () => {
  await using home = await openHome();
  for (const delayMs of [60, 120, 180, 240, 400, 800]) {
    const child = startTalosctl(makeUp, { home: home.path });
    await sleep(delayMs);
    child.kill('SIGKILL');
    const destroyed = await runTalosctl(['cluster', 'destroy', '--if-present'], { home: home.path });
    assert.equal(destroyed.exitCode, 0, destroyed.stderr);
    // When create is killed before the folder exists, its supervisor needs a moment to notice. When it is
    // killed while it writes the talosconfig, its lock file stays until the next writer, which takes over the
    // lock of a dead process. When it is killed while it takes the lock of the cluster, its draft stays until the
    // next command, ten seconds later at the earliest (socket-lock.ts).
    const leftovers = () => {
      const all = leftoversOf(home.path, []).filter((left) => !/^config\.lock(\.\w+)?$/.test(left));
      const drafts = all.filter((left) => /\.lock\/change\.[\w.]+\.draft$/.test(left));
      const stay = new Set(drafts.flatMap((draft) => [draft, dirname(draft)]));
      return all.filter((left) => !stay.has(left));
    };
    await eventually(() => leftovers().length === 0, {
      what: `clean folder after ${delayMs} ms`,
      explain: () => leftovers().join('\n'),
    });
  }
});

test('cluster logs prints what the machines logged, each line with its machine', async () => {
  await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 1 });
  const all = await cluster.talosctl('cluster', 'logs', '--name', 'test');
  assert.deepEqual([...new Set(all.stdout.match(/^\[\w+\] /gm))], ['[node01] ', '[node02] ']);
  const one = await cluster.talosctl('cluster', 'logs', '--name', 'test', 'node02');
  assert.match(one.stdout, /^\{"level".*"daemon serves"/m);
});

test('qemu with a second machine or without an image gives one line, and nothing is created', async () => {
  await using home = await openHome();
  const rows: [string[], RegExp][] = [
    [['--workers', '1'], /^error: a qemu cluster has one machine, a control plane, not 2: a network between/],
    [
      ['--image-path', '/nonexistent'],
      /^error: (no image in \/nonexistent|qemu-system-x86_64 is missing|machines of)/,
    ],
  ];
  for (const [words, message] of rows) {
    const { exitCode, stderr } = await runTalosctl(['cluster', 'create', 'qemu', ...words], {
      home: home.path,
    });
    assert.deepEqual([exitCode, stderr.split('\n').length], [1, 2], stderr);
    assert.match(stderr, message);
  }
  assert.deepEqual(readdirSync(home.path), []);
});

test('docker without an engine gives one line that says what to do, and nothing is created', async () => {
  await using home = await openHome();
  const environment = { DOCKER_HOST: `unix://${home.path}/nowhere.sock` };
  const { exitCode, stderr } = await runTalosctl(['cluster', 'create', 'docker'], {
    home: home.path,
    environment,
  });
  assert.deepEqual([exitCode, stderr.split('\n').length], [1, 2], stderr);
  assert.match(
    stderr,
    /^error: (no Docker engine answers at unix:.*nowhere\.sock: start it|docker is not installed)/,
  );
  assert.deepEqual(readdirSync(home.path), []);
});

test('a cluster of processes is rejected by every command that names the docker provisioner', async () => {
  await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 0 });
  for (const verb of ['create', 'show', 'destroy']) {
    const { exitCode, stderr } = await cluster.talosctl(
      ...['cluster', verb, '--name', 'test', '--provisioner', 'docker'],
    );
    assert.equal(exitCode, 1);
    assert.match(stderr, /^error: cluster "test" exists and belongs to provisioner "process", not "docker"/);
  }
});

test('create rejects invalid input with the reason, and creates nothing', async () => {
  await using home = await openHome();
  const rows: [string[], RegExp][] = [
    [['--cidr', '10.5.0.0/24'], /form 127\.a\.b\.0\/24, not "10\.5\.0\.0\/24"/],
    [['--cidr', '127.0.0.0/24'], /belongs to the host/],
    [['--name', '../x'], /a cluster name is/],
    [['--controlplanes', '0'], /control planes must be at least 1/],
    [['--workers', 'many'], /must be a number of nodes/],
    [['--config-patch', 'machine: { nonsense: 1 }'], /config patch 1 of --config-patch: /],
    [['--config-patch', '@/nonexistent'], /config patch \/nonexistent cannot be read/],
    [['moon'], /must be one of process, docker, qemu/],
  ];
  for (const [words, message] of rows) {
    const { exitCode, stderr } = await runTalosctl(['cluster', 'create', ...words], { home: home.path });
    assert.equal(exitCode, 1, words.join(' '));
    assert.match(stderr, message);
  }
  assert.deepEqual(readdirSync(home.path), []);
});
