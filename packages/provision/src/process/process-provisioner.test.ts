import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { nodePaths } from '@nodewright/contract';
import { Fault, type FaultKind } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import { findClusterProcesses } from '../cluster/cluster-processes.ts';
import { openTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { describeTakenPorts } from './free-ports.ts';

const never = new AbortController().signal;

function folderOf(cluster: TestCluster, name = 'c') {
  return clusterFolder(join(cluster.ref().clustersFolder, name));
}

async function contextsOf(cluster: TestCluster) {
  const config = parseTalosconfig(await readFile(join(cluster.home, 'config'), 'utf8'));
  return { current: config.context, names: [...config.contexts.keys()] };
}

function fault(kind: FaultKind, message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Fault, String(error));
    assert.match(error.message, message);
    assert.equal(error.kind, kind);
    return true;
  };
}

test('create() starts a cluster with private files and adds a context', async () => {
  await using cluster = await openTestCluster();
  const result = await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const folder = folderOf(cluster);

  const { cluster: view, outcome } = result;
  const base = view.network.cidr.replace(/0\/24$/, '');
  assert.equal(outcome, 'created');
  assert.deepEqual(
    view.nodes.map(({ name, type, address, state }) => ({ name, type, address, state })),
    [
      { name: 'node01', type: 'controlplane', address: `${base}2`, state: 'running' },
      { name: 'node02', type: 'worker', address: `${base}3`, state: 'running' },
    ],
  );
  assert.deepEqual(await cluster.provisioner.show(cluster.ref()), view);
  const anyId = (name: string) => name.replace(/\.[0-9a-f.]{34}\.sock$/, '.ID.sock');
  assert.deepEqual((await readdir(folder.path)).map(anyId).sort(), [
    'members.json',
    'node01.log',
    'node01.yaml',
    'node02.log',
    'node02.yaml',
    'nodes',
    'secrets.yaml',
    'state.yaml',
    'supervisor.ID.sock',
    'supervisor.lock',
    'supervisor.log',
    'supervisor.pid',
    'talosconfig',
  ]);
  assert.equal((await stat(folder.path)).mode & 0o777, 0o700);
  const entries = await readdir(folder.path, { recursive: true });
  assert.ok(entries.length > 10, `${entries}`);
  for (const entry of entries) {
    // Every user who may enter the folder can see whether the supervisor runs, even when root has started it.
    if (/^supervisor\..*\.sock$/.test(entry)) continue;
    assert.equal((await stat(join(folder.path, entry))).mode & 0o077, 0, entry);
  }
  assert.deepEqual(await contextsOf(cluster), { current: 'c', names: ['c'] });
});

test('create() starts each machined in its root folder with the flags of process mode', async () => {
  await using cluster = await openTestCluster();
  const { cluster: view } = await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const folder = folderOf(cluster);
  const [line] = (await readFile(folder.nodeLog('node02'), 'utf8')).split('\n');
  const { servicesFolder, nodeBinary } = cluster.parts.programs;
  const root = folder.nodeRoot('node02');
  assert.deepEqual(JSON.parse(line ?? ''), {
    cwd: root,
    args: [
      '--root',
      root,
      '--mode',
      'process',
      '--hostname',
      'node02',
      '--address',
      view.nodes[1]?.address,
    ].concat('--services-dir', servicesFolder, '--node-binary', nodeBinary),
  });
  assert.equal(await readFile(join(root, 'system/state/config.yaml'), 'utf8'), 'node: node02\n');
  const members = JSON.parse(await readFile(join(root, 'system/state/members.json'), 'utf8'));
  assert.deepEqual(
    members.members.map((member: { hostname: string; machineType: string }) => [
      member.hostname,
      member.machineType,
    ]),
    [
      ['node01', 'MACHINE_TYPE_CONTROL_PLANE'],
      ['node02', 'MACHINE_TYPE_WORKER'],
    ],
  );
});

test('create() hands out the certificates of the build, and fails when they are there and cannot be read', async () => {
  await using cluster = await openTestCluster();
  const certificates = join(cluster.parts.programs.servicesFolder, 'trusted-certificates.pem');
  await mkdir(certificates);
  await assert.rejects(
    cluster.provisioner.create(cluster.request(), cluster.progress, never),
    fault('unknown', /dist\/trusted-certificates\.pem cannot be read: /),
  );
  await rm(certificates, { recursive: true });
  await writeFile(certificates, 'certificates');
  await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const root = folderOf(cluster).nodeRoot('node02');
  assert.equal(await readFile(join(root, nodePaths.trustedCertificates), 'utf8'), 'certificates');
});

test('destroy() leaves no process, file or context', async () => {
  await using cluster = await openTestCluster({ child: true });
  const { cluster: view } = await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const folder = folderOf(cluster);
  // The supervisor, two machineds and their children.
  assert.equal(findClusterProcesses(folder).length, 5);
  assert.deepEqual(await cluster.provisioner.planDestroy(cluster.ref()), {
    folder: folder.path,
    supervisorPid: view.supervisor?.pid,
    processes: 5,
    nodes: ['node01', 'node02'],
    talosconfig: { path: join(cluster.home, 'config'), context: 'c' },
  });

  await cluster.provisioner.destroy(cluster.ref(), { force: false }, cluster.progress);
  assert.deepEqual(findClusterProcesses(folder), []);
  assert.deepEqual(await readdir(cluster.ref().clustersFolder), []);
  assert.deepEqual(await contextsOf(cluster), { current: '', names: [] });
  const address = view.network.gateway;
  assert.deepEqual(await describeTakenPorts([{ protocol: 'tcp', address, port: 50050 }]), []);
});

test('destroy() and the other actions report that a cluster does not exist', async () => {
  await using cluster = await openTestCluster();
  const missing = fault('not-found', /^no cluster "c" in .*clusters: "talosctl cluster list" lists/);
  const { provisioner } = cluster;
  await assert.rejects(provisioner.destroy(cluster.ref(), { force: true }, cluster.progress), missing);
  await assert.rejects(provisioner.planDestroy(cluster.ref()), missing);
  await assert.rejects(provisioner.show(cluster.ref()), missing);
  await assert.rejects(
    Array.fromAsync(provisioner.logs(cluster.ref(), { node: undefined, follow: false, signal: never })),
    missing,
  );
});

test('destroy() keeps a context of the same name that belongs to another cluster', async () => {
  await using cluster = await openTestCluster();
  await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  await writeFile(
    join(cluster.home, 'config'),
    'context: c\ncontexts: { c: { endpoints: [10.0.0.1], ca: b3RoZXI= } }\n',
  );
  await cluster.provisioner.destroy(cluster.ref(), { force: false }, cluster.progress);
  assert.deepEqual(await contextsOf(cluster), { current: 'c', names: ['c'] });
});

test('destroy() does not remove a folder with other files in it', async () => {
  await using cluster = await openTestCluster();
  await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const foreign = join(folderOf(cluster).path, 'holiday.jpg');
  await writeFile(foreign, '');
  await assert.rejects(
    cluster.provisioner.destroy(cluster.ref(), { force: false }, cluster.progress),
    fault('failed-precondition', /holiday\.jpg is not part of a cluster/),
  );
  assert.ok((await readdir(folderOf(cluster).path)).includes('state.yaml'));
  await rm(foreign);
});

test('destroy() removes a cluster with a damaged state only when forced', async () => {
  await using cluster = await openTestCluster();
  await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  await writeFile(folderOf(cluster).state, 'rubbish: [');
  await assert.rejects(
    cluster.provisioner.destroy(cluster.ref(), { force: false }, cluster.progress),
    fault('data-loss', /state\.yaml: not YAML.*--force/),
  );
  await cluster.provisioner.destroy(cluster.ref(), { force: true }, cluster.progress);
  assert.deepEqual(await readdir(cluster.ref().clustersFolder), []);
});

test('create() rejects a cluster that already runs, unless asked to keep it', async () => {
  await using cluster = await openTestCluster();
  const { cluster: view } = await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const pid = view.supervisor?.pid;
  await assert.rejects(
    cluster.provisioner.create(cluster.request(), cluster.progress, never),
    fault('already-exists', new RegExp(`^cluster "c" already runs \\(supervisor pid ${pid}\\)`)),
  );
  const again = await cluster.provisioner.create(
    cluster.request({ ifAbsent: true }),
    cluster.progress,
    never,
  );
  assert.deepEqual([again.outcome, again.cluster.supervisor?.pid], ['kept', pid]);
});

test('create() restarts a stopped cluster with its addresses, and kills nodes that were left running', async () => {
  await using cluster = await openTestCluster({ child: true });
  const { cluster: before } = await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const folder = folderOf(cluster);
  process.kill(before.supervisor?.pid ?? 0, 'SIGKILL');
  await eventually(async () => (await cluster.provisioner.show(cluster.ref())).state === 'stopped', {
    what: 'the supervisor is gone',
  });
  // The children run on, and the context is missing.
  await writeFile(join(cluster.home, 'config'), '');
  const leftover = findClusterProcesses(folder).map(({ pid }) => pid);
  assert.ok(leftover.length >= 2, 'children outlive their supervisor');

  const { cluster: after, outcome } = await cluster.provisioner.create(
    cluster.request(),
    cluster.progress,
    never,
  );
  assert.equal(outcome, 'started');
  assert.deepEqual(after.network, before.network);
  assert.ok(cluster.notes.includes('cluster "c" exists and is stopped: starting it again'));
  const now = findClusterProcesses(folder).map(({ pid }) => pid);
  assert.deepEqual([now.length, now.filter((pid) => leftover.includes(pid))], [5, []]);
  assert.deepEqual(await contextsOf(cluster), { current: 'c', names: ['c'] });
});

test('create() that fails before the nodes start leaves nothing behind', async () => {
  await using cluster = await openTestCluster(
    {},
    {
      makeMaterial: async () => {
        throw new Fault('internal', 'no randomness today');
      },
    },
  );
  await assert.rejects(
    cluster.provisioner.create(cluster.request(), cluster.progress, never),
    fault('internal', /no randomness today/),
  );
  assert.deepEqual(await readdir(cluster.ref().clustersFolder), []);
  assert.deepEqual(findClusterProcesses(folderOf(cluster)), []);
});

test('create() that fails after the nodes started stops them and leaves nothing behind', async () => {
  await using cluster = await openTestCluster({ child: true });
  await assert.rejects(
    cluster.provisioner.create(cluster.request({ talosconfig: '/sys/none/config' }), cluster.progress, never),
    fault('permission-denied', /\/sys\/none/),
  );
  assert.deepEqual(await readdir(cluster.ref().clustersFolder), []);
  assert.deepEqual(findClusterProcesses(folderOf(cluster)), []);
});

test('create() does nothing when the talosconfig is invalid, and names the line', async () => {
  await using cluster = await openTestCluster();
  await mkdir(cluster.home, { recursive: true });
  await writeFile(join(cluster.home, 'config'), 'context: c\ncontexts: [\n');
  await assert.rejects(
    cluster.provisioner.create(cluster.request(), cluster.progress, never),
    fault('invalid-argument', /^talosconfig .*config: line \d+: /),
  );
  assert.deepEqual(await readdir(cluster.home), ['config']);
});

test('create() leaves nothing behind when it is aborted', async () => {
  const controller = new AbortController();
  await using cluster = await openTestCluster(
    {},
    {
      makeMaterial: async () => {
        controller.abort();
        throw controller.signal.reason;
      },
    },
  );
  await assert.rejects(cluster.provisioner.create(cluster.request(), cluster.progress, controller.signal), {
    kind: 'cancelled',
  });
  assert.deepEqual(await readdir(cluster.ref().clustersFolder), []);
  assert.deepEqual(findClusterProcesses(folderOf(cluster)), []);
});

test('create() leaves nothing behind when it is aborted while it waits for the nodes', async () => {
  const abort = new AbortController();
  const silent = {
    version: async () => {
      abort.abort();
      throw new Fault('unavailable', 'not yet');
    },
    [Symbol.asyncDispose]: async () => {},
  };
  await using cluster = await openTestCluster({}, { openProbe: async () => silent });
  const folder = folderOf(cluster);
  await assert.rejects(cluster.provisioner.create(cluster.request(), cluster.progress, abort.signal), {
    kind: 'cancelled',
  });
  await assert.rejects(stat(folder.path), { code: 'ENOENT' });
  assert.deepEqual(findClusterProcesses(folder), []);
  assert.deepEqual((await contextsOf(cluster)).names, []);
});

test('create() starts over after an earlier creation was killed', async () => {
  await using cluster = await openTestCluster();
  const folder = folderOf(cluster);
  await mkdir(folder.nodeRoot('node01'), { recursive: true });
  await writeFile(
    folder.state,
    `provisionername: process
phase: creating
clusterinfo: { clustername: c, network: { cidrs: [], gatewayaddrs: [] }, nodes: [], kubernetesendpoint: "" }
request: { controlplanes: 5, workers: 0, patchdigest: "" }
`,
  );
  const { outcome } = await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  assert.equal(outcome, 'created');
  assert.match(cluster.notes[0] ?? '', /earlier creation of cluster "c" was interrupted/);
});

test('create() soon reports why a node does not start', async () => {
  await using cluster = await openTestCluster({ exitCode: 3 });
  await assert.rejects(
    cluster.provisioner.create(cluster.request(), cluster.progress, never),
    fault('unavailable', /^node0[12] keeps exiting \(exit code 3\): \{.*\} \(log: .*node0[12]\.log\)$/),
  );
});

test('create() gives two clusters different addresses, and names the owner of a taken range', async () => {
  await using cluster = await openTestCluster();
  const [first, second] = await Promise.all([
    cluster.provisioner.create(cluster.request(), cluster.progress, never),
    cluster.provisioner.create(cluster.request({ name: 'd' }), cluster.progress, never),
  ]);
  assert.notEqual(first.cluster.network.cidr, second.cluster.network.cidr);
  assert.deepEqual((await contextsOf(cluster)).names.sort(), ['c', 'd']);

  const { cidr } = first.cluster.network;
  await assert.rejects(
    cluster.provisioner.create(cluster.request({ name: 'e', cidr }), cluster.progress, never),
    fault(
      'failed-precondition',
      new RegExp(
        `^${cidr} belongs to cluster "c" in .*/c \\(supervisor pid ${first.cluster.supervisor?.pid}\\)$`,
      ),
    ),
  );
  assert.deepEqual((await readdir(cluster.ref().clustersFolder)).sort(), ['c', 'd']);
});

test('create() renames the context when its name is taken, and notes that', async () => {
  await using cluster = await openTestCluster();
  await mkdir(cluster.home, { recursive: true });
  await writeFile(
    join(cluster.home, 'config'),
    'context: c\ncontexts: { c: { endpoints: [10.0.0.1], ca: b3RoZXI= } }\n',
  );
  await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  assert.deepEqual(await contextsOf(cluster), { current: 'c-1', names: ['c', 'c-1'] });
  assert.deepEqual(cluster.notes, ['renamed talosconfig context "c" -> "c-1"']);
  await cluster.provisioner.destroy(cluster.ref(), { force: false }, cluster.progress);
  assert.deepEqual(await contextsOf(cluster), { current: 'c', names: ['c'] });
});

test('logs() yields the output of all nodes or of one, and follows new output', async () => {
  await using cluster = await openTestCluster();
  await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  const all = await Array.fromAsync(
    cluster.provisioner.logs(cluster.ref(), { node: undefined, follow: false, signal: never }),
  );
  assert.deepEqual(
    all.map(({ node }) => node),
    ['node01', 'node02'],
  );
  await assert.rejects(
    Array.fromAsync(
      cluster.provisioner.logs(cluster.ref(), { node: 'node09', follow: false, signal: never }),
    ),
    fault('not-found', /has no node "node09": it has node01, node02/),
  );

  const controller = new AbortController();
  const followed: string[] = [];
  const following = (async () => {
    const lines = cluster.provisioner.logs(cluster.ref(), {
      node: 'node02',
      follow: true,
      signal: controller.signal,
    });
    for await (const { text } of lines) followed.push(text);
  })();
  await eventually(() => followed.length === 1, { what: 'the old line' });
  await writeFile(folderOf(cluster).nodeLog('node02'), 'appended \u00fc', { flag: 'a' });
  await writeFile(folderOf(cluster).nodeLog('node02'), ' line\nand an open end', { flag: 'a' });
  await eventually(() => followed.length === 2, { what: 'the new line' });
  controller.abort();
  await following;
  assert.deepEqual(followed.slice(1), ['appended \u00fc line', 'and an open end']);
});
