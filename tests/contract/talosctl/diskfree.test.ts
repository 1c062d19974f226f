// talosctl diskfree: the mounted volumes of nodes and the space on them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  StorageServiceStatfsRequest,
  StorageServiceStatfsResponse,
} from '@nodewright/contract/gen/machine/storage.ts';
import { type MemoryState, pointerTo } from '@nodewright/state';
import {
  type BlockMountStatusSpec,
  blockMountStatuses,
  type VolumeStatusSpec,
  volumeStatuses,
} from '@nodewright/state/kinds';
import { healthyCluster, reply } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

const codecOf = <S>(kind: { codec: { fromProto(bytes: Uint8Array): S } }) =>
  kind.codec.fromProto(new Uint8Array());
const mount = (volumeID: string, rest: Partial<BlockMountStatusSpec>) => {
  const empty = codecOf<BlockMountStatusSpec>(blockMountStatuses);
  return {
    ...pointerTo(blockMountStatuses, `mount-${volumeID}`),
    spec: { ...empty, spec: { ...empty.spec, volumeID }, ...rest },
  };
};
const volume = (id: string, rest: Partial<VolumeStatusSpec>) => ({
  ...pointerTo(volumeStatuses, id),
  spec: {
    ...codecOf<VolumeStatusSpec>(volumeStatuses),
    phase: 'ready' as const,
    type: 'partition' as const,
    ...rest,
  },
});

const kinds = [blockMountStatuses, volumeStatuses];
const full = await openNodeStore(kinds, [
  mount('EPHEMERAL', { source: '/dev/vda6', target: '/var' }),
  mount('STATE', { source: '/dev/vda5', target: '/system/state' }),
  mount('DETACHED', { source: '/dev/vda7', target: '', detached: true }),
  mount('NOTHING', { source: '', target: '/nothing' }),
  volume('EPHEMERAL', {}),
  volume('META', {}),
  volume('ETCD', { type: 'directory' }),
  volume('SWAP', { filesystem: 'swapi' }),
  volume('NEW', { phase: 'waiting' }),
]);
const stores: Readonly<Record<string, MemoryState>> = {
  node01: full,
  broken: full,
  bare: await openNodeStore(kinds, []),
};

const suite = openSuite({
  ...healthyCluster,
  ...stateHandlers(kinds, (node = '') => stores[node] as MemoryState),
  '/machine.StorageService/Statfs': (call) => {
    const { path } = StorageServiceStatfsRequest.decode(call.request);
    if (call.node === 'broken' && path === '/var') return call.fail(13, 'input/output error');
    const inodes = { inodes: 327_680n, inodesUsed: 1_000n, inodesFree: 326_680n };
    const sizes = path === '/var' ? [10_000_000_000n, 2_500_000_001n, 7_499_999_999n] : [0n, 0n, 0n];
    const [size = 0n, used = 0n, available = 0n] = sizes;
    return reply(call, StorageServiceStatfsResponse, { size, used, available, ...inodes });
  },
});

const lines = async (...words: string[]) => (await suite.run(...words)).stdout.trimEnd().split('\n');

test('diskfree shows the mounted volumes with their space', async () => {
  assert.deepEqual(await lines('-n', 'node01', 'df'), [
    'NODE     VOLUME      FILESYSTEM   SIZE     USED     AVAILABLE   USAGE   MOUNT POINT',
    'node01   EPHEMERAL   /dev/vda6    9.3GiB   2.3GiB   7.0GiB      26%     /var',
    'node01   STATE       /dev/vda5    0B       0B       0B          -       /system/state',
  ]);
  assert.deepEqual(await lines('-n', 'node01', 'diskfree', 'EPHEMERAL', '-b'), [
    'NODE     VOLUME      FILESYSTEM   SIZE          USED         AVAILABLE    USAGE   MOUNT POINT',
    'node01   EPHEMERAL   /dev/vda6    10000000000   2500000001   7499999999   26%     /var',
  ]);
  assert.deepEqual(await lines('-n', 'node01', 'df', 'EPHEMERAL', '-i'), [
    'NODE     VOLUME      FILESYSTEM   INODES   IUSED   IFREE    %IUSED   MOUNT POINT',
    'node01   EPHEMERAL   /dev/vda6    327.7K   1K      326.7K   1%       /var',
  ]);
});

test('diskfree reports a node that has no volumes, and prints no header for it', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'bare', 'df');
  assert.deepEqual(
    { stdout, stderr, exitCode },
    {
      ...{ stdout: '', stderr: 'bare has no mounted volumes of its own\n', exitCode: 0 },
    },
  );
});

test('diskfree shows the volumes that it could measure when one file system fails', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'broken', 'df');
  assert.match(stdout, /^NODE .*\nbroken +STATE .*\n$/);
  assert.deepEqual(
    [stderr, exitCode],
    [
      'error from node broken: rpc error: code = Internal desc = volume "EPHEMERAL" at /var: input/output error\n',
      1,
    ],
  );
});

test('diskfree explains volumes that share the space of another', async () => {
  const rows: [string, RegExp][] = [
    ['META', /volume "META" is not mounted\n$/],
    ['ETCD', /volume "ETCD" is a directory, which has no space of its own\n$/],
    ['SWAP', /volume "SWAP" is swap space, which holds no files\n$/],
    ['NEW', /volume "NEW" is not ready: its phase is waiting\n$/],
    ['NOPE', /code = NotFound desc = there is no "NOPE" among the volumestatuses of namespace runtime\n$/],
  ];
  for (const [id, expected] of rows) {
    const { stderr, exitCode } = await suite.run('-n', 'node01', 'df', id);
    assert.match(stderr, expected);
    assert.equal(exitCode, 1);
  }
});

test('diskfree -o json has every number', async () => {
  const { stdout } = await suite.run('-n', 'node01,bare', 'df', '-o', 'json');
  const [node01, bare] = JSON.parse(stdout);
  assert.deepEqual(node01.volumes[0], {
    ...{ volume: 'EPHEMERAL', source: '/dev/vda6', target: '/var' },
    ...{ size: 10_000_000_000, used: 2_500_000_001, available: 7_499_999_999 },
    ...{ inodes: 327_680, inodesUsed: 1000, inodesFree: 326_680 },
  });
  assert.deepEqual(bare, { node: 'bare', volumes: [] });
});

test('diskfree completes the volumes of a node', async () => {
  const { stdout } = await suite.run('__complete', '-n', 'node01', 'df', 'E');
  assert.equal(stdout, 'EPHEMERAL\nETCD\n');
});
