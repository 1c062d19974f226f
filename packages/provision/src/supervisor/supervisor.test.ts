import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { querySntp } from '@nodewright/sntp';
import { eventually } from '@nodewright/testkit';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import { findClusterProcesses } from '../cluster/cluster-processes.ts';
import { askOwner } from '../cluster/owner-socket.ts';
import { readProcess } from '../cluster/read-process.ts';
import type { ClaimOwner, NodeStatus } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import { openTestCluster, type TestCluster } from '../testing/test-cluster.ts';

const never = new AbortController().signal;

async function createCluster(cluster: TestCluster) {
  const { cluster: view } = await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const folder = clusterFolder(view.folder);
  const ask = async () =>
    (await askOwner({ host: view.network.gateway, port: clusterPorts.claim })) as ClaimOwner | undefined;
  const node = async (name: string): Promise<NodeStatus> => {
    const status = (await ask())?.nodes.find((it) => it.name === name);
    assert.ok(status !== undefined);
    return status;
  };
  return { view, folder, ask, node, pid: view.supervisor?.pid ?? 0 };
}

/** Runs a supervisor for the folder as a user would run it by hand. */
function supervisorByHand(cluster: TestCluster, folder: string, ...options: string[]): ChildProcess {
  const { nodeBinary, supervisor } = cluster.parts.programs;
  return spawn(nodeBinary, [supervisor, '--folder', folder, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('a supervisor restarts a node 1 s after its death and kills the children of the dead one', async () => {
  await using cluster = await openTestCluster({ child: true });
  const { folder, node } = await createCluster(cluster);
  const before = await node('node01');
  const [, childLine = ''] = readFileSync(folder.nodeLog('node01'), 'utf8').split('\n');
  const { child } = JSON.parse(childLine) as { child: number };
  assert.ok(readProcess(child) !== undefined);

  const killedAt = performance.now();
  process.kill(before.pid ?? 0, 'SIGKILL');
  await eventually(() => readProcess(child) === undefined, { what: 'the child is gone' });
  const runsAgain = async () => {
    const { state, pid } = await node('node01');
    return state === 'running' && pid !== before.pid;
  };
  await eventually(runsAgain, { what: 'node that runs again' });
  assert.ok(performance.now() - killedAt >= 1000);
  const after = await node('node01');
  assert.deepEqual([after.restarts, after.lastExit, (await node('node02')).restarts], [1, 'SIGKILL', 0]);
});

test('a supervisor stops its nodes on SIGTERM, exits with 0, and leaves no process and no pid file', async () => {
  await using cluster = await openTestCluster({ child: true });
  const { folder, pid } = await createCluster(cluster);
  // The supervisor of create() is not a child of this test. Run another one by hand to see its exit code.
  process.kill(pid, 'SIGTERM');
  await eventually(() => findClusterProcesses(folder).length === 0, {
    what: 'the first supervisor has ended',
  });
  const child = supervisorByHand(cluster, folder.path);
  await eventually(() => findClusterProcesses(folder).length === 5, { what: 'both nodes run' });
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.deepEqual(
    [code, findClusterProcesses(folder), existsSync(folder.supervisorPid), existsSync(folder.supervisorLock)],
    [0, [], false, false],
  );
});

test('a supervisor kills a node that ignores SIGTERM, together with its children', async () => {
  await using cluster = await openTestCluster({ child: true, stubborn: true });
  const { folder, pid } = await createCluster(cluster);
  process.kill(pid, 'SIGKILL');
  await eventually(() => findClusterProcesses(folder).length === 2, { what: 'only the children are left' });
  const child = supervisorByHand(cluster, folder.path, '--stop-timeout', '200ms');
  await eventually(() => findClusterProcesses(folder).length === 5, { what: 'both nodes run' });
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.deepEqual([code, findClusterProcesses(folder)], [0, []]);
});

test('a second supervisor of the same cluster does not start, and names the first', async () => {
  await using cluster = await openTestCluster();
  const { folder, pid, ask } = await createCluster(cluster);
  const second = supervisorByHand(cluster, folder.path);
  let output = '';
  second.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(second, 'close');
  assert.equal(code, 1);
  assert.match(output, new RegExp(`a supervisor already runs cluster .*\\(pid ${pid}\\)`));
  assert.equal((await ask())?.pid, pid);
});

test('a supervisor ends and leaves no process when its starter is killed before the cluster is complete', async () => {
  await using cluster = await openTestCluster();
  const { programs } = cluster.parts;
  const { clustersFolder } = cluster.ref();
  // Another process creates a cluster, and hangs while it generates the keys.
  const script = `
    import { createProcessProvisioner } from ${JSON.stringify(join(import.meta.dirname, '..', 'process', 'process-provisioner.ts'))};
    const provisioner = createProcessProvisioner(() => ({
      programs: ${JSON.stringify(programs)}, environment: process.env,
      async checkPatches() {}, makeMaterial: () => new Promise(() => {}), openProbe: () => { throw new Error(); },
    }));
    const progress = { step: (name, body) => body().then((it) => (console.log(name), it)), note() {} };
    setInterval(() => {}, 1000);
    await provisioner.create({
      name: 'c', clustersFolder: ${JSON.stringify(clustersFolder)}, shape: { controlPlanes: 1, workers: 0 },
      cidr: undefined, patches: { all: [], controlPlanes: [], workers: [] },
      talosconfig: ${JSON.stringify(join(cluster.home, 'config'))}, ifAbsent: false, bootstrap: true,
    }, progress, new AbortController().signal);`;
  const creator = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(creator.stdout, 'data');
  assert.match(String(line), /^supervisor/);
  const folder = clusterFolder(join(clustersFolder, 'c'));
  assert.equal(findClusterProcesses(folder).length, 1);

  creator.kill('SIGKILL');
  await eventually(() => findClusterProcesses(folder).length === 0, { what: 'the supervisor is gone' });
  assert.equal((await cluster.provisioner.show(cluster.ref())).state, 'incomplete');
  await cluster.provisioner.destroy(cluster.ref(), { force: false }, cluster.progress);
  assert.equal(existsSync(folder.path), false);
});

test('a supervisor whose folder was moved stops its nodes, and says where the folder is', async () => {
  await using cluster = await openTestCluster();
  const { folder, pid } = await createCluster(cluster);
  const moved = clusterFolder(join(cluster.home, 'moved'));
  await rename(folder.path, moved.path);
  await eventually(() => findClusterProcesses(folder).length === 0 && readProcess(pid) === undefined, {
    what: 'end of the supervisor and its nodes',
  });
  const log = readFileSync(moved.supervisorLog, 'utf8');
  assert.ok(log.includes(`the folder was moved to ${moved.path}`), log);
});

test('a supervisor names the process that has a port of a node', async () => {
  await using cluster = await openTestCluster();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ host: '127.14.7.2', port: 50001 }, resolve));
  const creating = cluster.provisioner.create(
    cluster.request({ cidr: '127.14.7.0/24' }),
    cluster.progress,
    never,
  );
  await assert.rejects(creating, {
    message: new RegExp(`^127\\.14\\.7\\.2:50001 is held by pid ${process.pid} `),
  });
  await new Promise((resolve) => server.close(resolve));
});

test('a supervisor rejects an incomplete folder and invalid options', async () => {
  await using cluster = await openTestCluster();
  const { supervisor, nodeBinary } = cluster.parts.programs;
  const run = (...args: string[]) => spawnSync(nodeBinary, [supervisor, ...args], { encoding: 'utf8' });
  const missing = run();
  assert.deepEqual([missing.status, missing.stderr.includes('--folder')], [2, true]);
  const nowhere = run('--folder', '/nonexistent');
  assert.deepEqual([nowhere.status, nowhere.stdout.includes('no such file or directory')], [1, true]);
});

test('a supervisor serves the time on the gateway address', async () => {
  await using cluster = await openTestCluster();
  const { view } = await createCluster(cluster);
  const server = `${view.network.gateway}:${clusterPorts.time}`;
  const { offsetMs } = await querySntp({ server, timeoutMs: 60_000 });
  assert.ok(Math.abs(offsetMs) < 5000, `${offsetMs} ms off`);
});

test('a cluster in a folder with a path of 200 characters runs', async () => {
  await using cluster = await openTestCluster();
  const clustersFolder = join(cluster.home, 'x'.repeat(Math.max(1, 199 - cluster.home.length)));
  assert.ok(clustersFolder.length >= 200);
  const ref = { name: 'long', clustersFolder };
  const request = cluster.request(ref);
  const { cluster: view } = await cluster.provisioner.create(request, cluster.progress, never);
  assert.deepEqual(
    view.nodes.map(({ state }) => state),
    ['running', 'running'],
  );
  await cluster.provisioner.destroy(ref, { force: false }, cluster.progress);
  await rm(clustersFolder, { recursive: true });
});
