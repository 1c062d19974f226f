import {
  configurableVolumes,
  isFolderVolume,
  type VolumeRow,
  type VolumeSection,
  volumeIds,
  volumeWithActing,
} from '@nodewright/contract/volumes';
import { inside, type KindReferences, notRead, onlyOn, type ReferenceDocs } from './reference-docs.ts';
import {
  encryption,
  mountOptions,
  provisioning,
  readOnlyMount,
  trimAndScrub,
  xfsSettings,
} from './volume-parts.ts';

const volumeName = {
  help: 'Name of the volume: 1 to 34 letters, digits and hyphens.',
  example: 'data',
  isRequired: true,
};
const storageName = (what: string, maxLength: number, example: string) => ({
  help: `Name of the ${what}: 1 to ${maxLength} letters, digits, underscores and hyphens.`,
  example,
  isRequired: true,
});
/** Source: Talos v1.14: volumes. */
const newPartitionMinSize = { ...provisioning['provisioning.minSize'], default: '100MiB' };
/** `provisioning` of a volume that is a partition and nothing else. */
const partition: ReferenceDocs = {
  provisioning: {
    help: 'Disk and size of the partition: a disk selector, and minSize or maxSize.',
    isRequired: true,
  },
  'provisioning.diskSelector': { help: 'Selects the disk of the partition.', isRequired: true },
  'provisioning.diskSelector.match': { ...provisioning['provisioning.diskSelector.match'], isRequired: true },
  'provisioning.minSize': newPartitionMinSize,
};
const selectedVolume = (help: string): ReferenceDocs => ({
  volumeSelector: { help, isRequired: true },
  'volumeSelector.match': {
    help: 'CEL expression that is true for a volume to use; its variables are volume, disk and units such as GiB.',
    example: "volume.partition_label == 'archive'",
    isRequired: true,
  },
});

/** `A, B or C`. */
function listed(ids: readonly string[], word = 'or'): string {
  const last = ids.at(-1) ?? '';
  return ids.length < 2 ? last : `${ids.slice(0, -1).join(', ')} ${word} ${last}`;
}
const idsWith = (isMeant: (volume: VolumeRow) => boolean) =>
  configurableVolumes.filter(isMeant).map(({ id }) => id);
const withoutSection = (section: VolumeSection) =>
  `not for ${listed(
    idsWith(({ sections }) => sections?.includes(section) !== true),
    'and',
  )}`;
const folderVolumes = listed(idsWith(isFolderVolume), 'and');
const acting = idsWith(({ acts }) => acts !== undefined)
  .map((id) => {
    const fields = configurableVolumes.find((volume) => volume.id === id)?.acts ?? [];
    const names = fields.map((field) => field.split('.')[1] ?? field);
    return `${listed(names, 'and')} of ${id}`;
  })
  .join('; ');

const provisioningNote = (field: string) => {
  const id = volumeWithActing(`provisioning.${field}`);
  return {
    ...onlyOn(['machine'], `Only machines use it, for ${id}, when they create its partition.`),
    actsOnlyIn: id,
  };
};

/** Source: Talos v1.14: machine configuration, block devices and volumes; software storage. */
export const blockReferences: KindReferences = {
  VolumeConfig: {
    ...provisioning,
    ...inside('encryption', encryption),
    ...mountOptions,
    ...trimAndScrub,
    ...xfsSettings,
    '': {
      help: 'Size, encryption and mount options of one volume of the system itself.',
      notApplied: onlyOn(
        ['machine'],
        `Machines use ${acting} when they create its partition; the rest is only stored.`,
      ),
    },
    name: {
      help: `The volume: ${listed(configurableVolumes.map(({ id }) => id))}.`,
      example: volumeIds.ephemeral,
      isRequired: true,
    },
    provisioning: {
      help: `Disk, size and growth; ${withoutSection('provisioning')}. ${folderVolumes} are folders of ${volumeIds.ephemeral} without it.`,
    },
    'provisioning.diskSelector.match': {
      ...provisioning['provisioning.diskSelector.match'],
      help: 'CEL expression over disk, system_disk and units such as GiB. A new volume takes the system disk if selected, else the first with room, and stays there.',
      notApplied: provisioningNote('diskSelector.match'),
    },
    'provisioning.minSize': {
      ...provisioning['provisioning.minSize'],
      notApplied: provisioningNote('minSize'),
    },
    'provisioning.maxSize': {
      ...provisioning['provisioning.maxSize'],
      notApplied: provisioningNote('maxSize'),
    },
    'provisioning.grow': { ...provisioning['provisioning.grow'], notApplied: provisioningNote('grow') },
    filesystem: {
      help: `File system of the volume; ${withoutSection('filesystem')}.`,
      notApplied: notRead,
    },
    encryption: {
      help: 'Encryption of the volume. A volume without this section is not encrypted.',
      notApplied: notRead,
    },
    mount: { help: `Mount options of the volume; ${withoutSection('mount')}.`, notApplied: notRead },
    'mount.secure': {
      help: `Whether the volume is mounted with nosuid and nodev; ${listed(
        idsWith(({ isNoExecWhenSecure }) => isNoExecWhenSecure === true),
        'and',
      )} on partitions of their own also with noexec.`,
      default: 'true',
    },
    trim: { ...trimAndScrub.trim, notApplied: notRead },
    scrub: { ...trimAndScrub.scrub, notApplied: notRead },
  },
  UserVolumeConfig: {
    ...provisioning,
    ...inside('encryption', encryption),
    ...mountOptions,
    ...trimAndScrub,
    ...xfsSettings,
    '': {
      help: 'A volume for data of workloads, which is mounted at /var/mnt/ and its name.',
      notApplied: notRead,
    },
    name: volumeName,
    volumeType: {
      help: 'What the volume is: a new partition, a whole disk, or a directory of EPHEMERAL.',
      example: 'partition',
      default: 'partition',
    },
    provisioning: {
      help: 'A partition needs a disk selector and minSize or maxSize, a disk only the selector, a directory nothing.',
    },
    'provisioning.minSize': newPartitionMinSize,
    filesystem: { help: 'File system with which the volume is formatted; not for a directory.' },
    'filesystem.type': { help: 'Type of the file system.', example: 'xfs', default: 'xfs' },
    'filesystem.projectQuotaSupport': {
      help: 'Whether the file system supports project quotas; only for xfs.',
    },
  },
  RawVolumeConfig: {
    ...provisioning,
    ...inside('encryption', encryption),
    '': { help: 'A partition without a file system, with the label r- and its name.', notApplied: notRead },
    name: volumeName,
    ...partition,
  },
  SwapVolumeConfig: {
    ...provisioning,
    ...inside('encryption', encryption),
    '': { help: 'A partition that is used as swap space.', notApplied: notRead },
    name: { ...volumeName, example: 'swap1' },
    ...partition,
  },
  ExistingVolumeConfig: {
    ...inside('discovery', selectedVolume('Selects the volume among those on the disks.')),
    ...mountOptions,
    ...readOnlyMount,
    ...trimAndScrub,
    '': {
      help: 'A volume that exists already and is mounted at /var/mnt/ and its name; it is never formatted.',
      notApplied: notRead,
    },
    name: {
      help: 'Name of the volume: letters, digits and hyphens; not that of a UserVolumeConfig.',
      example: 'archive',
      isRequired: true,
    },
    discovery: { help: 'How the volume is found.', isRequired: true },
  },
  ExternalVolumeConfig: {
    ...mountOptions,
    ...readOnlyMount,
    '': {
      help: 'A file system from outside of the machine, which is mounted at /var/mnt/ and its name.',
      notApplied: notRead,
    },
    name: { ...volumeName, example: 'shared' },
    filesystemType: {
      help: 'Type of the file system; virtiofs is the only one.',
      example: 'virtiofs',
      isRequired: true,
    },
    mount: { help: 'Mount options of the volume, and where it comes from.', isRequired: true },
    'mount.virtiofs': {
      help: 'The file system that the host of a virtual machine shares.',
      isRequired: true,
    },
    'mount.virtiofs.tag': {
      help: 'Tag under which the host shares the file system.',
      example: 'shared-data',
      isRequired: true,
    },
  },
  ZswapConfig: {
    '': { help: 'Compressed cache in memory for pages that are swapped out.', notApplied: notRead },
    maxPoolPercent: {
      help: 'Largest share of the memory that the cache may use, 0 to 100 percent.',
      example: 25,
      default: '20',
    },
    shrinkerEnabled: {
      help: 'Whether the cache writes pages to the swap space when memory is short.',
      default: 'false',
    },
  },
  FilesystemTrimConfig: {
    '': { help: 'Turns on the periodic trim (discard of free blocks) of file systems.', notApplied: notRead },
    interval: {
      help: 'Time between two trims of a file system; not negative.',
      example: '168h0m0s',
    },
  },
  FilesystemScrubConfig: {
    '': {
      help: 'Default time between checks of file systems; the document alone does not turn checks on.',
      notApplied: notRead,
    },
    interval: {
      help: 'Time between two checks of a file system: 0, or at least 10s.',
      example: '336h0m0s',
      default: '168h0m0s',
    },
  },
  LVMVolumeGroupConfig: {
    ...inside('provisioning', selectedVolume('Selects the physical volumes of the group.')),
    '': { help: 'An LVM volume group, made of volumes of the disks.', notApplied: notRead },
    name: storageName('group', 63, 'vg-pool'),
    provisioning: { help: 'What the group is made of.', isRequired: true },
  },
  LVMLogicalVolumeConfig: {
    '': { help: 'A logical volume of an LVM volume group.', notApplied: notRead },
    name: storageName('volume', 63, 'lv-data'),
    type: {
      help: 'Layout of the volume: linear, raid0, raid1 or raid10.',
      example: 'raid10',
      default: 'linear',
    },
    mirrors: {
      help: 'Number of additional copies, at least 1; only for raid1 and raid10.',
      example: 1,
      default: '1',
    },
    stripes: {
      help: 'Number of stripes, at least 2; only for raid0 and raid10.',
      example: 2,
      default: 'all physical volumes',
    },
    provisioning: { help: 'Group and size of the volume.', isRequired: true },
    'provisioning.volumeGroup': {
      help: 'Name of the volume group.',
      example: 'vg-pool',
      isRequired: true,
    },
    'provisioning.minSize': {
      help: 'Smallest size of the volume, in bytes or with a unit; not above maxSize.',
      example: '10GiB',
    },
    'provisioning.maxSize': {
      help: 'Largest size of the volume: bytes or with a unit, or a percentage; not negative.',
      example: '50%',
      isRequired: true,
    },
  },
  RAIDArrayConfig: {
    ...inside('provisioning', selectedVolume('Selects the members of the array.')),
    '': { help: 'A software RAID array (md), made of volumes of the disks.', notApplied: notRead },
    name: storageName('array', 32, 'mirror0'),
    level: { help: 'RAID level; raid1 (mirror) is the only one.', example: 'raid1', default: 'raid1' },
    metadata: { help: 'Version of the metadata on the members.', example: '1.2', default: '1.0' },
    provisioning: { help: 'What the array is made of.', isRequired: true },
  },
};
