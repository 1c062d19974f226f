// talosctl registry and talosctl extensions: the image cache and the system extensions of nodes.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceListResponse } from '@nodewright/contract/gen/machine/machine.ts';
import {
  InstallRequest,
  InstallResponse,
  NextStart,
  RemoveResponse,
  StatusResponse as SetsResponse,
} from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import {
  CollectResponse,
  PullRequest,
  PullResponse,
  RemoveImageRequest,
  RemoveImageResponse,
  StatusResponse,
  WatchTransfersResponse,
} from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import { pointerTo } from '@nodewright/state';
import { extensionServiceConfigStatuses, extensionStatuses } from '@nodewright/state/kinds';
import type { FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

const transfer = {
  ...{ registry: 'ghcr.io', repository: 'team/app', digest: `sha256:${'0'.repeat(64)}` },
  ...{ bytes: 20_000_000n, totalBytes: 50_000_000n, bytesPerSecond: 5_000_000n },
};
const endpoint = {
  ...{ url: 'https://mirror.example', isMirror: true, hasCredentials: true, requests: 7n, failures: 1n },
  ...{ lastAnswer: 1_700_000_000n, lastError: 'HTTP 503', lastErrorTime: 1_700_000_100n },
};
const changed: string[] = [];
const set = { rootHash: 'ab'.repeat(32), sizeBytes: 5_000_000n, layers: [{ name: 'hello', version: 'v1' }] };

const kinds = [extensionStatuses, extensionServiceConfigStatuses];
const store = await openNodeStore(kinds, [
  {
    ...pointerTo(extensionStatuses, '0'),
    spec: {
      image: '000.hello.sqsh',
      metadata: {
        ...{ name: 'hello', version: 'v1', author: 'lab', description: 'says hello\n', extraInfo: '' },
        compatibility: { talos: { version: '>= v1.14.0' } },
      },
    },
  },
  { ...pointerTo(extensionServiceConfigStatuses, 'hello'), spec: { specVersion: '3' } },
]);
const onlyOn =
  (node: string, answer: FakeHandler): FakeHandler =>
  (call) =>
    call.node === node ? answer(call) : call.fail(9, 'this node has no image cache: enable it');

const suite = openSuite({
  ...healthyCluster,
  ...stateHandlers(kinds, () => store),
  '/machine.MachineService/ServiceList': (call) =>
    reply(call, ServiceListResponse, {
      messages: [{ services: ['apid', 'ext-hello'].map((id) => ({ id, state: 'Running' })) }],
    }),
  '/suite.registry.v1.RegistryService/Status': onlyOn('node01', (call) =>
    reply(call, StatusResponse, {
      ...{ listenAddress: '127.0.0.1:3172', usedBytes: 90_000_000n, limitBytes: 10_000_000_000n },
      ...{ freeBytes: 20_000_000_000n, servedBytes: 1000n, downloadedBytes: 2000n, transfers: [transfer] },
      contents: { images: 2, blobs: 5, blobBytes: 80_000_000n },
      upstreams: [{ registry: '*', endpoints: [endpoint] }],
      lastCollection: { time: 1_700_000_000n, removedFiles: 3, freedBytes: 4_000_000n },
      lastError: 'ghcr.io does not answer',
    }),
  ),
  '/suite.extensions.v1.ExtensionSetService/Status': (call) =>
    reply(call, SetsResponse, {
      ...{ running: set, nextStart: NextStart.NEXT_START_REMOVES, problem: 'the set cd was tried' },
    }),
  '/suite.extensions.v1.ExtensionSetService/Install': (call) => {
    changed.push(`install ${InstallRequest.decode(call.request).chunk}`);
    reply(call, InstallResponse, { set });
  },
  '/suite.extensions.v1.ExtensionSetService/Remove': (call) => {
    changed.push(`remove on ${call.node}`);
    reply(call, RemoveResponse, { running: set });
  },
  '/suite.registry.v1.RegistryService/WatchTransfers': onlyOn('node01', (call) =>
    reply(call, WatchTransfersResponse, { transfers: [transfer] }),
  ),
  '/suite.registry.v1.RegistryService/Pull': onlyOn('node01', (call) => {
    const { reference, platform } = PullRequest.decode(call.request);
    changed.push(`pull ${reference} ${platform}`);
    call.send(PullResponse.encode(PullResponse.fromPartial({ bytes: 1n, totalBytes: 2n })).finish());
    reply(call, PullResponse, { digest: 'sha256:1234' });
  }),
  '/suite.registry.v1.RegistryService/Collect': (call) => {
    changed.push(`collect ${call.node}`);
    reply(call, CollectResponse, { removedFiles: 3, freedBytes: 4_000_000n });
  },
  '/suite.registry.v1.RegistryService/RemoveImage': (call) => {
    changed.push(`remove ${RemoveImageRequest.decode(call.request).reference}`);
    reply(call, RemoveImageResponse, { freedBytes: 5n });
  },
});

const cellsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

test('registry status has a row for each node with a cache, and names the nodes without one', async () => {
  const { stdout, stderr, exitCode } = await suite.run('registry', 'status');
  assert.deepEqual(cellsOf(stdout)[1], [
    ...['node01', '127.0.0.1:3172', '2', '5', '80 MB', '90 MB', '10 GB', '20 GB', '1 (5.0 MB/s)', '2.0 kB'],
    ...['1.0 kB', '2023-11-14T22:13:20Z', '3', '4.0 MB', 'ghcr.io does not answer'],
  ]);
  assert.match(stderr, /node02: .*this node has no image cache: enable it/);
  assert.equal(exitCode, 1);
  const { stdout: json } = await suite.run('registry', 'status', '-o', 'json', '-n', 'node01');
  const [document] = JSON.parse(json);
  assert.deepEqual([document.node, document.contents.blobBytes], ['node01', 80_000_000]);
});

test('registry upstreams and registry transfers show endpoints and downloads', async () => {
  const upstreams = await suite.run('registry', 'upstreams', '-n', 'node01');
  assert.deepEqual(cellsOf(upstreams.stdout)[1], [
    ...['node01', '*', 'https://mirror.example', 'mirror', 'true', 'true', '7', '1'],
    ...['2023-11-14T22:13:20Z', '2023-11-14T22:15:00Z', 'HTTP 503'],
  ]);
  const { stdout } = await suite.run('registry', 'transfers', '-n', 'node01');
  assert.deepEqual(cellsOf(stdout)[1], [
    ...['node01', 'ghcr.io', 'team/app', transfer.digest, '20 MB', '50 MB', '5.0 MB/s'],
  ]);
  const followed = await suite.run('registry', 'transfers', '-f', '-n', 'node01');
  assert.equal(followed.stdout, `node01: ghcr.io/team/app@${transfer.digest}: 20 MB of 50 MB, 5.0 MB/s\n`);
});

test('registry pull, remove and collect act on the named nodes, and several nodes need a confirmation', async () => {
  changed.length = 0;
  const pulled = await suite.run(
    ...['registry', 'pull', 'ghcr.io/a:v1', '--platform', 'linux/arm64', '-n', 'node01', '-o', 'json'],
  );
  assert.deepEqual(JSON.parse(pulled.stdout), [{ node: 'node01', image: 'ghcr.io/a:v1@sha256:1234' }]);
  const refused = await suite.run('registry', 'collect', '-n', 'node01,node02');
  assert.match(refused.stderr, /registry collect acts on 2 nodes .*--yes/);
  const collected = await suite.run('registry', 'collect', '-n', 'node01,node02', '--yes');
  assert.deepEqual(cellsOf(collected.stdout)[2], ['node02', '3', '4.0 MB']);
  const removed = await suite.run('registry', 'remove', 'ghcr.io/a:v1', '-n', 'node01');
  assert.deepEqual(cellsOf(removed.stdout)[1], ['node01', '5 B']);
  assert.deepEqual(changed.toSorted(), [
    ...['collect node01', 'collect node02', 'pull ghcr.io/a:v1 linux/arm64', 'remove ghcr.io/a:v1'],
  ]);
});

test('extensions list shows the extensions, and extensions status their services', async () => {
  const { stdout } = await suite.run('extensions', 'list', '-n', 'node01');
  assert.deepEqual(cellsOf(stdout)[1], [
    ...['node01', '0', 'hello', 'v1', 'lab', '>= v1.14.0', '000.hello.sqsh', 'says hello'],
  ]);
  const status = await suite.run('extensions', 'status', '-n', 'node01', '-o', 'json');
  const [{ services }] = JSON.parse(status.stdout);
  assert.deepEqual(
    services.map(({ id, state, configVersion }: Record<string, string>) => [id, state, configVersion]),
    [['ext-hello', 'Running', '3']],
  );
});

test('extensions sets shows what this start of a machine has, and what the next one tries', async () => {
  const { stdout } = await suite.run('extensions', 'sets', '-n', 'node01');
  assert.deepEqual(cellsOf(stdout).slice(1), [
    ['node01', 'this', 'abababababab', '5.0 MB', 'hello v1', 'the set cd was tried'],
    ['node01', 'next', 'none'],
  ]);
});

test('extensions install sends the file, and extensions remove asks before it acts on several nodes', async () => {
  changed.length = 0;
  const folder = await mkdtemp(join(tmpdir(), 'sets-'));
  await using scope = new AsyncDisposableStack();
  scope.defer(() => rm(folder, { recursive: true }));
  const path = join(folder, 'tools.set');
  await writeFile(path, 'the set');
  const installed = await suite.run('extensions', 'install', path, '-n', 'node01');
  assert.deepEqual(cellsOf(installed.stdout)[1], ['node01', 'abababababab', '5.0 MB', 'hello v1']);
  assert.match(installed.stderr, /node01 tries the set at its next start/);
  const missing = await suite.run('extensions', 'install', 'none.set', '-n', 'node01');
  assert.match(missing.stderr, /"none\.set"/);
  const refused = await suite.run('extensions', 'remove', '-n', 'node01,node02');
  assert.match(refused.stderr, /extensions remove acts on 2 nodes .*--yes/);
  const removed = await suite.run('extensions', 'remove', '-n', 'node01,node02', '--yes');
  assert.deepEqual(cellsOf(removed.stdout)[2], ['node02', 'abababababab', 'hello v1']);
  assert.deepEqual(changed.toSorted(), ['install the set', 'remove on node01', 'remove on node02']);
});
