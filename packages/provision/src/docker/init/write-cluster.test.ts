import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { effectiveConfig, loadConfiguration } from '@nodewright/machine-config';
import { openTemporaryFolder } from '../../testing/temporary-folder.ts';
import { parseStackNode, type StackPlan } from './cluster-plan.ts';
import { writeCluster } from './write-cluster.ts';

const plan: StackPlan = {
  name: 'stack',
  nodes: [parseStackNode('node01=10.5.0.2', 'controlplane'), parseStackNode('node02=10.5.0.3', 'worker')],
  timeServer: '10.5.0.253:50123',
  certSans: ['127.0.0.1'],
};
const now = () => new Date('2030-01-01T00:00:00Z');
const files = [
  'admin/secrets.yaml',
  'admin/talosconfig',
  'nodes/node01/config.yaml',
  'nodes/node01/members.json',
  'nodes/node02/config.yaml',
  'nodes/node02/members.json',
];

test('writeCluster() writes private files that match each other, and keeps them on the next run', async () => {
  await using temporary = await openTemporaryFolder();
  const folder = temporary.path;
  assert.deepEqual(await writeCluster(folder, plan, now), files);
  const text = (name: string) => readFile(join(folder, name), 'utf8');
  const before = await Promise.all(files.map(text));
  for (const name of files) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);

  const [controlPlane, worker] = [
    await text('nodes/node01/config.yaml'),
    await text('nodes/node02/config.yaml'),
  ];
  const { machineType, certSANs, time } = effectiveConfig(loadConfiguration(controlPlane));
  assert.deepEqual(
    { machineType, certSANs, timeServers: time.servers },
    {
      machineType: 'controlplane',
      certSANs: ['127.0.0.1'],
      timeServers: ['10.5.0.253:50123'],
    },
  );
  assert.equal(effectiveConfig(loadConfiguration(worker)).machineType, 'worker');
  assert.match(controlPlane, /PRIVATE KEY|^\s+key: \S/m);
  assert.match(worker, /key: ""/);
  assert.match(await text('admin/talosconfig'), /- 10\.5\.0\.2\n/);

  assert.deepEqual(await writeCluster(folder, plan, now), []);
  assert.deepEqual(await Promise.all(files.map(text)), before);
});

test('writeCluster() writes missing files from the existing secrets', async () => {
  await using temporary = await openTemporaryFolder();
  const folder = temporary.path;
  await writeCluster(folder, plan, now);
  const before = await readFile(join(folder, 'nodes/node02/config.yaml'), 'utf8');
  await rm(join(folder, 'nodes/node02'), { recursive: true });
  assert.deepEqual(await writeCluster(folder, plan, now), files.slice(4));
  assert.equal(await readFile(join(folder, 'nodes/node02/config.yaml'), 'utf8'), before);
});

test('parseStackNode() rejects text other than a name and an address', () => {
  for (const text of ['node01', '=10.5.0.2', 'node01=host', 'Node=10.5.0.2', '../x=10.5.0.2'])
    assert.throws(() => parseStackNode(text, 'worker'), /name=address/, text);
});

test('writeCluster() writes no configuration for a node that was reset', async () => {
  await using temporary = await openTemporaryFolder();
  const folder = temporary.path;
  await writeCluster(folder, plan, now);
  for (const left of ['.wipe', 'node-identity.yaml']) {
    const state = join(folder, 'nodes/node02');
    await rm(state, { recursive: true });
    await mkdir(state);
    await writeFile(join(state, left), '');
    assert.deepEqual(await writeCluster(folder, plan, now), []);
    assert.deepEqual(await readdir(state), [left]);
  }
});

/** The texts of all files below a folder, by their paths. */
async function textsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(paths.sort().map(async (path) => [path, await readFile(path, 'utf8')])),
  );
}

test('writeCluster() refuses a lost admin volume, empty files and a changed network, says what to do, and writes nothing', async () => {
  await using temporary = await openTemporaryFolder();
  const folder = temporary.path;
  await writeCluster(folder, plan, now);
  const original = await textsOf(folder);
  const moved = {
    ...plan,
    nodes: [
      parseStackNode('node01=10.6.0.2', 'controlplane'),
      parseStackNode('node02=10.6.0.3', 'worker'),
      parseStackNode('node03=10.6.0.4', 'worker'),
    ],
  };
  const rows: { change: () => Promise<void>; plan?: StackPlan; message: string }[] = [
    {
      change: () => rm(join(folder, 'admin'), { recursive: true }),
      message:
        'the volume "admin" has no secrets, but the volume of node01 has the configuration of a cluster, which only these secrets fit: put the files of' +
        ' the volume back from a copy, or remove the volumes of all nodes ("docker compose down --volumes") for a new cluster',
    },
    ...[
      'admin/secrets.yaml',
      'admin/talosconfig',
      'nodes/node02/config.yaml',
      'nodes/node01/members.json',
    ].map((name) => ({
      change: () => writeFile(join(folder, name), ' \n'),
      message: `${name} is empty: remove this file from the volume of its folder, or put it back from a copy, and start the stack again`,
    })),
    {
      change: async () => {},
      plan: moved,
      message:
        'node01 has the address 10.5.0.2 in the files of this cluster, but 10.6.0.2 in the network of the stack: give the stack its former network' +
        ' again, or remove the volumes ("docker compose down --volumes") for a new cluster',
    },
  ];
  for (const { change, plan: asked = plan, message } of rows) {
    await change();
    const before = await textsOf(folder);
    await assert.rejects(writeCluster(folder, asked, now), { kind: 'failed-precondition', message });
    assert.deepEqual(await textsOf(folder), before);
    await mkdir(join(folder, 'admin'), { recursive: true });
    for (const [path, text] of Object.entries(original)) await writeFile(path, text);
  }
  // A node more is no other network.
  const larger = { ...plan, nodes: [...plan.nodes, parseStackNode('node03=10.5.0.4', 'worker')] };
  assert.deepEqual(await writeCluster(folder, larger, now), [
    'nodes/node03/config.yaml',
    'nodes/node03/members.json',
  ]);
});
