// What the container and image commands request from nodes, and what they print.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  ImageServiceImportRequest,
  ImageServiceImportResponse,
  ImageServiceListRequest,
  ImageServiceListResponse,
  ImageServicePullLayerProgress_Status,
  ImageServicePullRequest,
  ImageServicePullResponse,
  ImageServiceRemoveRequest,
} from '@nodewright/contract/gen/machine/image.ts';
import {
  ContainersRequest,
  ContainersResponse,
  ImageListRequest,
  ImageListResponse,
  ImagePullRequest,
  ImagePullResponse,
  RestartRequest,
  RestartResponse,
  StatsResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import type { FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { openSuite } from './suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'image-command-'));
after(() => rmSync(folder, { recursive: true }));

const asked: string[] = [];
let isOld = false;

/** Answers as a node with the service does, unless the test emulates an old one. */
const newer =
  (handler: FakeHandler): FakeHandler =>
  (call) =>
    isOld ? call.fail(12, 'unknown service machine.ImageService') : handler(call);

const handlers: Record<string, FakeHandler> = {
  ...healthyCluster,
  '/machine.MachineService/Containers': (call) => {
    const { namespace, driver } = ContainersRequest.decode(call.request);
    asked.push(`containers ${namespace} ${driver}`);
    const common = { namespace, image: 'etcd:v3', pid: 7, status: 'RUNNING' };
    reply(call, ContainersResponse, {
      messages: [
        {
          containers: [
            { ...common, id: 'ns/pod:etcd:0123', podId: 'ns/pod' },
            { ...common, id: 'ns/pod', podId: 'ns/pod', pid: 6 },
          ],
        },
      ],
    });
  },
  '/machine.MachineService/Stats': (call) =>
    reply(call, StatsResponse, {
      messages: [
        {
          stats: [
            { namespace: 'system', id: 'etcd', podId: 'etcd', memoryUsage: 51_234_567n, cpuUsage: 12_345n },
          ],
        },
      ],
    }),
  '/machine.MachineService/Restart': (call) => {
    const { id, namespace, driver } = RestartRequest.decode(call.request);
    asked.push(`restart ${id} ${namespace} ${driver}`);
    reply(call, RestartResponse, { messages: [{}] });
  },
  '/machine.MachineService/ImageList': (call) => {
    asked.push(`old list ${ImageListRequest.decode(call.request).namespace}`);
    const image = { name: 'old:v1', digest: 'sha256:01', size: 5n, createdAt: { seconds: 0n, nanos: 0 } };
    call.send(ImageListResponse.encode(ImageListResponse.fromPartial(image)).finish());
    call.end();
  },
  '/machine.MachineService/ImagePull': (call) => {
    asked.push(`old pull ${ImagePullRequest.decode(call.request).reference}`);
    reply(call, ImagePullResponse, { messages: [{}] });
  },
  '/machine.ImageService/List': newer((call) => {
    const { containerd } = ImageServiceListRequest.decode(call.request);
    asked.push(`list ${containerd?.driver} ${containerd?.namespace}`);
    const image = {
      ...{ name: 'pause:3', digest: 'sha256:02', size: 300_000n, labels: { b: '2', a: '1' } },
      createdAt: { seconds: 1_786_708_800n, nanos: 5 },
    };
    call.send(ImageServiceListResponse.encode(ImageServiceListResponse.fromPartial(image)).finish());
    call.end();
  }),
  '/machine.ImageService/Pull': newer((call) => {
    const { imageRef, containerd } = ImageServicePullRequest.decode(call.request);
    asked.push(`pull ${imageRef} ${containerd?.driver} ${containerd?.namespace}`);
    if (call.node === 'node02') return call.fail(5, 'image is not there');
    const send = (value: Parameters<typeof ImageServicePullResponse.fromPartial>[0]) =>
      call.send(ImageServicePullResponse.encode(ImageServicePullResponse.fromPartial(value)).finish());
    const status = ImageServicePullLayerProgress_Status.DOWNLOADING;
    const progress = { status, offset: 5n, total: 10n };
    send({ response: { $case: 'pullProgress', value: { layerId: 'sha256:03', progress } } });
    send({ response: { $case: 'name', value: `${imageRef}@sha256:04` } });
    call.end();
  }),
  '/machine.ImageService/Remove': (call) => {
    asked.push(`remove ${ImageServiceRemoveRequest.decode(call.request).imageRef}`);
    call.send(Buffer.alloc(0));
    call.end();
  },
  '/machine.ImageService/Import': (call) => {
    const { request } = ImageServiceImportRequest.decode(call.request);
    asked.push(`import ${request?.$case}`);
    reply(call, ImageServiceImportResponse, { name: 'imported:v1' });
  },
};

const suite = openSuite(handlers);

async function onOne(...words: string[]) {
  asked.length = 0;
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', ...words);
  assert.equal(exitCode, 0, stderr);
  return { stdout, stderr, asked: [...asked] };
}

test('containers are listed below their pods', async () => {
  const { stdout, asked: calls } = await onOne('containers', '-k');
  assert.equal(
    stdout,
    `NODE     NAMESPACE   ID                    IMAGE     PID   STATUS
node01   k8s.io      ns/pod                etcd:v3   6     RUNNING
node01   k8s.io      └─ ns/pod:etcd:0123   etcd:v3   7     RUNNING
`,
  );
  assert.deepEqual(calls, ['containers k8s.io 1']);
  assert.deepEqual((await onOne('c')).asked, ['containers system 0']);
});

test('stats are in megabytes and nanoseconds', async () => {
  assert.equal(
    (await onOne('stats')).stdout,
    'NODE     NAMESPACE   ID     MEMORY(MB)   CPU\nnode01   system      etcd   51.23        12345\n',
  );
  const [{ stats }] = JSON.parse((await onOne('stats', '-o', 'json')).stdout);
  assert.deepEqual([stats[0].id, stats[0].memoryUsage], ['etcd', 51_234_567]);
});

test('restart prints nothing', async () => {
  const { stdout, stderr, asked: calls } = await onOne('restart', 'etcd');
  assert.deepEqual([stdout, stderr, calls], ['', '', ['restart etcd system 0']]);
});

test('images are listed, also from an older node', async () => {
  const { stdout, asked: calls } = await onOne('image', 'list');
  assert.equal(
    stdout,
    `NODE     IMAGE     DIGEST      SIZE     LABELS    CREATED
node01   pause:3   sha256:02   300 kB   a=1,b=2   2026-08-14T12:00:00Z
`,
  );
  assert.deepEqual(calls, ['list 1 2']);
  isOld = true;
  const old = await onOne('image', 'ls', '--namespace', 'system', '-o', 'json').finally(() => {
    isOld = false;
  });
  assert.deepEqual(old.asked, ['old list 1']);
  assert.equal(JSON.parse(old.stdout)[0].images[0].name, 'old:v1');
});

test('an image is pulled on every node, and a failing node does not affect the others', async () => {
  const { stdout, stderr, exitCode } = await suite.run('image', 'pull', 'a/b:c', '--namespace', 'inmem');
  assert.deepEqual([stdout, exitCode], ['', 1]);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    'node01: pulled image a/b:c@sha256:04',
    'error from node node02: rpc error: code = NotFound desc = image is not there',
  ]);
  isOld = true;
  const old = await onOne('image', 'pull', 'a/b:c').finally(() => {
    isOld = false;
  });
  assert.deepEqual([old.stderr, old.asked], ['node01: pulled image a/b:c\n', ['old pull a/b:c']]);
});

test('an archive is imported, and an image is removed from several nodes only with --yes', async () => {
  const path = join(folder, 'image.tar');
  writeFileSync(path, 'archive');
  const { stderr, asked: calls } = await onOne('image', 'import', path);
  assert.deepEqual([stderr, calls], ['node01 imported image imported:v1\n', ['import containerd']]);
  const missing = await suite.run('-n', 'node01', 'image', 'import', join(folder, 'none'));
  assert.match(missing.stderr, /^error: cannot read ".*none": no such file/);
  asked.length = 0;
  const refused = await suite.run('image', 'rm', 'a/b:c');
  assert.match(refused.stderr, /2 nodes \(node01, node02\).*--yes/);
  assert.deepEqual(asked, []);
  assert.deepEqual((await suite.run('image', 'rm', 'a/b:c', '--yes')).exitCode, 0);
  assert.deepEqual(asked, ['remove a/b:c', 'remove a/b:c']);
});
