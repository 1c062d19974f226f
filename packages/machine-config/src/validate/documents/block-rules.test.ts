import { test } from 'node:test';
import { checkRows } from '../sample-validation.ts';

test('validation checks documents that configure volumes', () => {
  const disk = 'diskSelector: { match: system_disk }';
  checkRows([
    ['VolumeConfig', 'name: EPHEMERAL\nmount: { secure: true }'],
    ['VolumeConfig', 'name: X', '!name must be one of STATE, EPHEMERAL, IMAGECACHE, ETCD, CRI, KUBELET, LOG'],
    [
      'VolumeConfig',
      'name: STATE\nprovisioning: { grow: true }\nmount: { secure: true }\nencryption: { provider: luks2, keys: [{ slot: 0, nodeID: {}, lockToState: true }] }',
      '!provisioning is not supported for STATE',
      '!mount is not supported for STATE',
      '!encryption.keys[0].lockToState is not supported for STATE',
    ],
    [
      'VolumeConfig',
      'name: IMAGECACHE\nfilesystem: { xfs: { minAllocationGroupSize: 1GiB } }',
      '!filesystem is not supported for IMAGECACHE',
    ],
    [
      'VolumeConfig',
      'name: ETCD\nmount: { secure: true }',
      '!mount needs provisioning: without it ETCD is a directory',
    ],
    ['VolumeConfig', 'name: ETCD\nmount: { secure: true }\nprovisioning: { minSize: 1GiB }'],
    [
      'VolumeConfig',
      'name: EPHEMERAL\nprovisioning: { diskSelector: { match: disk.size }, minSize: 2GiB, maxSize: 1GB }',
      '!provisioning.diskSelector.match must be an expression of type bool: this one is of type uint',
      '!provisioning.minSize must not be above maxSize',
    ],
    ['VolumeConfig', 'name: EPHEMERAL\nprovisioning: { diskSelector: { match: disk.size > 120u } }'],
    [
      'VolumeConfig',
      'name: EPHEMERAL\nprovisioning: { diskSelector: { match: disk.size > 120 } }',
      "!provisioning.diskSelector.match is not a valid expression: 1:11: found no matching overload for '_>_' applied to '(uint, int)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
    ],
    ['VolumeConfig', 'name: EPHEMERAL\nprovisioning: { minSize: 2GiB, maxSize: 10% }'],
    ['VolumeConfig', 'name: EPHEMERAL\nprovisioning: { minSize: 2GiB, maxSize: -1GiB }'],
    [
      'VolumeConfig',
      'name: EPHEMERAL\nprovisioning: { minSize: -2GiB, maxSize: 100% }',
      '!provisioning.minSize must not be negative or a percentage',
    ],
    [
      'VolumeConfig',
      'name: EPHEMERAL\nencryption: { cipher: aes-xts-plain64 }',
      '!encryption.provider must be "luks2"',
      '!encryption.keys needs at least one key',
    ],
    [
      'VolumeConfig',
      'name: EPHEMERAL\nencryption: { provider: luks2, keys: [{ slot: 1 }, { slot: 1, tpm: { options: { pcrs: [7, 24] } } }] }',
      '!encryption.keys[0] needs one of static, nodeID, kms, tpm',
      '!encryption.keys[1].slot is used twice',
      '!encryption.keys[1].tpm.options.pcrs must be 0 to 23',
    ],
    [
      'VolumeConfig',
      'name: EPHEMERAL\ntrim: { interval: -1s }\nscrub: { interval: 5s }',
      '!trim.interval must not be negative',
      '!scrub.interval must be 0 or at least 10s',
    ],
    ['UserVolumeConfig', `name: data\nprovisioning: { ${disk}, minSize: 1GiB }`],
    [
      'UserVolumeConfig',
      'name: da_ta',
      '!name must be 1 to 34 letters, digits and "-"',
      '!provisioning.diskSelector.match is required',
      '!provisioning needs minSize or maxSize',
    ],
    [
      'UserVolumeConfig',
      'name: d\nvolumeType: directory\nprovisioning: { grow: true }\nmount: { disableAccessTime: true }',
      '!provisioning is not supported for a directory',
      '!mount.disableAccessTime is not supported for a directory',
    ],
    [
      'UserVolumeConfig',
      `name: d\nvolumeType: disk\nprovisioning: { ${disk}, grow: false }`,
      '!provisioning.grow is not supported for a whole disk',
    ],
    [
      'UserVolumeConfig',
      `name: d\nprovisioning: { ${disk}, maxSize: 1GiB }\nfilesystem: { type: ext4, projectQuotaSupport: true, xfs: { minAllocationGroupSize: 1GiB } }`,
      '!filesystem.projectQuotaSupport needs the file system xfs',
      '!filesystem.xfs needs the file system xfs',
    ],
    ['RawVolumeConfig', `name: r\nprovisioning: { ${disk} }`, '!provisioning needs minSize or maxSize'],
    ['SwapVolumeConfig', `name: s\nprovisioning: { ${disk}, maxSize: 4GiB }`],
    ['ExistingVolumeConfig', 'name: e', '!discovery.volumeSelector.match is required'],
    ['ExistingVolumeConfig', 'name: e\ndiscovery: { volumeSelector: { match: "volume.label == \'x\'" } }'],
    [
      'ExternalVolumeConfig',
      'name: x',
      '!filesystemType must be "virtiofs"',
      '!mount.virtiofs.tag is required',
    ],
    ['ZswapConfig', 'maxPoolPercent: 101', '!maxPoolPercent must be 0 to 100'],
    ['FilesystemTrimConfig', 'interval: -1h', '!interval must not be negative'],
    ['FilesystemScrubConfig', 'interval: 9s', '!interval must be 0 or at least 10s'],
    ['FilesystemScrubConfig', 'interval: 0'],
  ]);
});

test('validation checks documents that configure software storage', () => {
  const selector = 'volumeSelector: { match: "true" }';
  checkRows([
    ['LVMVolumeGroupConfig', `name: v_g\nprovisioning: { ${selector} }`],
    [
      'LVMVolumeGroupConfig',
      'name: v.g',
      '!name must be 1 to 63 letters, digits, "_" and "-"',
      '!provisioning.volumeSelector.match is required',
    ],
    [
      'LVMLogicalVolumeConfig',
      'name: l\ntype: raid1\nmirrors: 1\nprovisioning: { volumeGroup: g, maxSize: 50%, minSize: 1GiB }',
    ],
    [
      'LVMLogicalVolumeConfig',
      'name: l\ntype: linear\nmirrors: 1\nstripes: 1\nprovisioning: { maxSize: -1GiB }',
      '!mirrors needs the type raid1 or raid10',
      '!stripes needs the type raid0 or raid10',
      '!provisioning.volumeGroup is required',
      '!provisioning.maxSize must not be negative',
    ],
    [
      'LVMLogicalVolumeConfig',
      'name: l\ntype: raid0\nprovisioning: { volumeGroup: g }',
      '!provisioning.maxSize is required',
    ],
    ['RAIDArrayConfig', `name: md0\nlevel: raid1\nprovisioning: { ${selector} }`],
    ['RAIDArrayConfig', 'name: md0\nlevel: raid1', '!provisioning.volumeSelector.match is required'],
  ]);
});
