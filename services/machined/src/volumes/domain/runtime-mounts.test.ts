import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BlockMountStatusSpec,
  blockMountStatuses,
  type VolumeStatusSpec,
  volumeStatuses,
} from '@nodewright/state/kinds';
import { runtimeMounts } from './runtime-mounts.ts';

const empty = <S>(kind: { readonly codec: { fromProto(bytes: Uint8Array): S } }) =>
  kind.codec.fromProto(new Uint8Array());

const mountOf = (volumeID: string, changed: Partial<BlockMountStatusSpec> = {}): BlockMountStatusSpec => {
  const mount = empty(blockMountStatuses);
  return {
    ...mount,
    spec: { ...mount.spec, volumeID },
    source: `/dev/${volumeID}`,
    target: `/${volumeID}`,
    filesystem: 'xfs',
    ...changed,
  };
};
const volume = (changed: Partial<VolumeStatusSpec>): VolumeStatusSpec => ({
  ...empty(volumeStatuses),
  ...changed,
});

test('runtimeMounts() shows partitions and disks, but no folders and nothing that is detached', () => {
  const mounts = runtimeMounts({
    mounts: [
      mountOf('EPHEMERAL'),
      mountOf('u-data', { encryptionProvider: 'luks2' }),
      mountOf('STATE'),
      mountOf('META', { detached: true }),
      mountOf('unknown'),
    ],
    volumes: new Map([
      ['EPHEMERAL', volume({ type: 'partition' })],
      ['u-data', volume({ type: 'disk', configuredEncryptionKeys: ['nodeID'] })],
      ['STATE', volume({ type: 'directory' })],
      ['META', volume({ type: 'partition' })],
    ]),
  });
  const common = { filesystemType: 'xfs', options: [] };
  assert.deepEqual(mounts, [
    {
      id: 'EPHEMERAL',
      spec: {
        source: '/dev/EPHEMERAL',
        target: '/EPHEMERAL',
        ...common,
        encrypted: false,
        encryptionProviders: [],
      },
    },
    {
      id: 'u-data',
      spec: {
        source: '/dev/u-data',
        target: '/u-data',
        ...common,
        encrypted: true,
        encryptionProviders: ['nodeID'],
      },
    },
  ]);
});
