import type { ReferenceDocs } from './reference-docs.ts';

// Fields that several kinds of volumes share.

/** `provisioning` of a volume. */
export const provisioning: ReferenceDocs = {
  provisioning: { help: 'Disk, size and growth of the volume.' },
  'provisioning.diskSelector': { help: 'Selects the disk of the volume.' },
  'provisioning.diskSelector.match': {
    help: 'CEL expression that is true for a suitable disk; its variables are disk, system_disk and units such as GiB.',
    example: "disk.transport == 'nvme' && !system_disk",
  },
  'provisioning.grow': { help: 'Whether the volume grows to its maximum size when the disk has room.' },
  'provisioning.minSize': {
    help: 'Smallest size of the volume, in bytes or with a unit; not negative, and not above maxSize.',
    example: '10GiB',
  },
  'provisioning.maxSize': {
    help: 'Largest size of the volume: bytes or with a unit, a percentage such as 25%, or with - in front what is to stay free.',
    example: '50GiB',
    default: 'everything available',
  },
};

/** `keys` of an encrypted volume, with the name of the list. */
const encryptionKeys: ReferenceDocs = {
  keys: {
    help: 'Keys of the volume: at least one, each with a slot of its own and with at least one of static, nodeID, kms and tpm.',
    isRequired: true,
  },
  'keys.slot': { help: 'LUKS key slot, used once per volume.', example: 0, default: '0' },
  'keys.static': { help: 'A key that is a fixed passphrase.' },
  'keys.static.passphrase': { help: 'The passphrase; it is a secret.', example: 'example-passphrase' },
  'keys.nodeID': { help: 'A key that is derived from the UUID of the node and from the partition.' },
  'keys.kms': { help: 'A random key that a key management server (KMS) seals.' },
  'keys.kms.endpoint': {
    help: 'URL of the server that seals and unseals the key over gRPC.',
    example: 'https://kms.example.org:4050',
  },
  'keys.tpm': {
    help: 'A random key that the TPM of the machine seals; the signed policy on PCR 11 always counts.',
  },
  'keys.tpm.checkSecurebootStatusOnEnroll': {
    help: 'Whether the key is created only while Secure Boot is enabled.',
    default: 'false',
  },
};

/** What the encryption of volumes and of the legacy section have in common. */
export const encryptionSettings: ReferenceDocs = {
  provider: { help: 'Format of the encryption; luks2 is the only one.', example: 'luks2' },
  ...encryptionKeys,
  cipher: {
    help: 'Cipher: aes-xts-plain64, xchacha12,aes-adiantum-plain64 or xchacha20,aes-adiantum-plain64.',
    example: 'aes-xts-plain64',
    default: 'aes-xts-plain64',
  },
  keySize: { help: 'Size of the key in bits.', example: 512, default: 'chosen by the encryption tool' },
  blockSize: {
    help: 'Size of an encrypted sector in bytes.',
    example: 4096,
    default: 'chosen by the encryption tool',
  },
  options: {
    help: 'Performance options: no_read_workqueue, no_write_workqueue and same_cpu_crypt.',
    example: ['no_read_workqueue', 'no_write_workqueue'],
  },
};

/** `encryption` of a volume. */
export const encryption: ReferenceDocs = {
  '': { help: 'Encryption of the volume. A volume without this section is not encrypted.' },
  ...encryptionSettings,
  provider: { ...encryptionSettings.provider, isRequired: true },
  'keys.tpm.options': { help: 'The state of the machine to which the TPM binds the key.' },
  'keys.tpm.options.pcrs': {
    help: 'Registers (PCR), 0 to 23, whose values the key depends on; an empty list means none besides PCR 11.',
    example: [7],
    default: '[7]',
  },
  'keys.lockToState': {
    help: 'Whether a salt on the STATE partition is part of the key, so that the volume opens only beside it; not for STATE.',
  },
  allowDiscards: { help: 'Whether discards of unused blocks reach the disk, which shows what is unused.' },
};

/** `mount.secure` and `mount.disableAccessTime`. */
export const mountOptions: ReferenceDocs = {
  mount: { help: 'Mount options of the volume.' },
  'mount.secure': { help: 'Whether the volume is mounted with nosuid, nodev and noexec.', default: 'true' },
  'mount.disableAccessTime': {
    help: 'Whether the file system does not record when files are read (noatime).',
    default: 'false',
  },
};

export const readOnlyMount: ReferenceDocs = {
  'mount.readOnly': { help: 'Whether the volume is mounted read-only.', default: 'false' },
};

/** `trim` and `scrub` of a volume. */
export const trimAndScrub: ReferenceDocs = {
  trim: { help: 'Periodic trim (discard of free blocks) of the volume.' },
  'trim.enabled': { help: 'Whether the volume is trimmed.', default: 'true if the section exists' },
  'trim.interval': {
    help: 'Time between two trims; not negative, and 0 is the interval of FilesystemTrimConfig.',
    example: '168h0m0s',
    default: '0s',
  },
  scrub: { help: 'Periodic check of the file system of the volume.' },
  'scrub.enabled': { help: 'Whether the file system is checked.', default: 'true if the section exists' },
  'scrub.interval': {
    help: 'Time between two checks: 0, or at least 10s.',
    example: '168h0m0s',
    default: '168h0m0s',
  },
};

/** `filesystem.xfs`. */
export const xfsSettings: ReferenceDocs = {
  'filesystem.xfs': { help: 'Settings of an XFS file system.' },
  'filesystem.xfs.minAllocationGroupSize': {
    help: 'Smallest size of an allocation group, in bytes or with a unit.',
    example: '16MiB',
  },
};
