import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { parse, stringify } from 'yaml';
import { clusterFolder } from '../../cluster/cluster-folder.ts';
import { planNodeSystem } from '../../domain/plan-node-system.ts';
import type { Engine } from '../../engine/index.ts';
import { openTemporaryFolder } from '../../testing/temporary-folder.ts';
import { NodeContainer } from './node-container.ts';
import { writeSystemRecord } from './system-record.ts';

const own = 'nodewright.test/lab/node01/system:sha256-b';
const service = {
  image: 'nodewright/node:dev',
  environment: { NAME: 'a$$b' },
  labels: { kept: 'yes' },
  volumes: ['node01-state:/system/state'],
};

/** A node with a system in slot B whose image is in the engine. */
async function open(path: string, run: (words: readonly string[]) => void) {
  const folder = clusterFolder(path);
  writeFileSync(folder.composeFile, stringify({ services: { node01: service, node02: service } }));
  const certificates: readonly string[] = [];
  await writeSystemRecord(folder, 'node01', {
    slots: { A: { id: 'created', certificates }, B: { id: 'sha256:b', image: own, certificates } },
    default: 'A',
  });
  const engine: Engine = {
    ask: async () => ({ code: 0, stdout: '', stderr: '' }),
    async run(words) {
      run(words);
      return '';
    },
    lines: () => assert.fail('no lines'),
    bytes: () => assert.fail('no bytes'),
  };
  const node = new NodeContainer({
    ...{ engine, folder, cluster: 'lab', node: 'node01', signal: new AbortController().signal },
    log: { info: () => {}, warn: () => {} },
    alone: (work) => work(),
  });
  const services = () => parse(readFileSync(folder.composeFile, 'utf8')).services;
  return { node, services, text: () => readFileSync(folder.composeFile, 'utf8') };
}

test('a system is placed by the compose file: image, slot and label change, and no other option of any node', async () => {
  await using folder = await openTemporaryFolder();
  const ran: string[] = [];
  const { node, services } = await open(folder.path, (words) => void ran.push(words.slice(-6).join(' ')));
  await node.carryOut({ kind: 'place', slot: 'B' });
  assert.deepEqual(ran, ['create --no-build --pull never --force-recreate node01']);
  const { node01, node02 } = services();
  assert.deepEqual(node02, service);
  const { image, environment, labels, ...rest } = node01;
  assert.deepEqual([image, rest], [own, { volumes: service.volumes }]);
  assert.deepEqual([environment.NAME, Object.values(environment).at(-1)], ['a$$b', 'B']);
  assert.deepEqual([labels.kept, Object.values(labels).at(-1)], ['yes', 'sha256:b']);
});

test('an engine that makes no container leaves the compose file as it was', async () => {
  await using folder = await openTemporaryFolder();
  const { node, text } = await open(folder.path, () => {
    throw new Fault('unavailable', 'no space left on device');
  });
  const before = text();
  await assert.rejects(node.carryOut({ kind: 'place', slot: 'B' }), /no space left on device/);
  assert.equal(text(), before);
});

test('a damaged record says what to do, and without it the node starts with the image that it has', async () => {
  await using folder = await openTemporaryFolder();
  const { node } = await open(folder.path, () => {});
  const path = clusterFolder(folder.path).nodeSystems('node01');
  writeFileSync(path, '{"slots":');
  assert.throws(() => node.record(), /is damaged: remove the file, and the node starts/);
  rmSync(path);
  const facts = { images: new Set<string>(), wish: undefined, mayStart: true, refused: new Set<string>() };
  const container = { system: 'sha256:b', isRunning: false };
  assert.deepEqual(planNodeSystem({ ...facts, record: node.record(), container }), { kind: 'start' });
});
