import {
  bool,
  bytes,
  cel,
  field,
  int,
  list,
  message,
  mode,
  optional,
  text,
  textBytes,
  uint,
  uint64,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import {
  encryptionKeyType,
  encryptionProviderType,
  filesystemType,
  fsParameterType,
} from './enumerations.ts';

const diskSelector = message({
  /** CEL expression that selects a disk. */
  match: unlessEmpty(1, cel),
  /** Name of an external storage provider. */
  external: unlessEmpty(2, text),
});
export type DiskSelector = ValueOf<typeof diskSelector>;

const partitionSpec = message({
  /** Bytes. */
  minSize: field(1, uint64),
  /** Bytes; with 0 the partition grows into the free space. */
  maxSize: unlessEmpty(2, uint64),
  /** Percent. */
  relativeMaxSize: field(6, uint64),
  /** `maxSize` is the space to leave free. */
  negativeMaxSize: field(7, bool),
  /** Grow the volume at boot if there is free space. */
  grow: field(3, bool),
  /** Label of the partition. */
  label: unlessEmpty(4, text),
  /** Type UUID of the partition. */
  typeUUID: unlessEmpty(5, text),
});
export type PartitionSpec = ValueOf<typeof partitionSpec>;

const filesystemSpec = message({
  type: field(1, filesystemType),
  label: unlessEmpty(2, text),
  minAllocationGroupSize: unlessEmpty(3, uint64),
});
export type FilesystemSpec = ValueOf<typeof filesystemSpec>;

export const provisioningSpec = message({
  wave: unlessEmpty(3, int),
  diskSelector: unlessEmpty(1, diskSelector),
  partitionSpec: unlessEmpty(2, partitionSpec),
  /** File system to create. */
  filesystemSpec: unlessEmpty(4, filesystemSpec),
});
export type ProvisioningSpec = ValueOf<typeof provisioningSpec>;

const encryptionKey = message({
  slot: field(1, int),
  type: field(2, encryptionKeyType),
  /** Mix the random salt stored on the STATE volume into the key. */
  lockToState: unlessEmpty(6, bool),
  staticPassphrase: unlessEmpty(3, textBytes),
  kmsEndpoint: unlessEmpty(4, text),
  tpmCheckSecurebootStatusOnEnroll: unlessEmpty(5, bool),
  pcrs: unlessEmpty(7, list(int)),
  pubKeyPcrs: unlessEmpty(8, list(int)),
});
export type EncryptionKey = ValueOf<typeof encryptionKey>;

export const encryptionSpec = message({
  provider: field(1, encryptionProviderType),
  keys: field(2, list(encryptionKey)),
  cipher: unlessEmpty(3, text),
  /** Bits. */
  keySize: unlessEmpty(4, uint),
  blockSize: unlessEmpty(5, uint64),
  perfOptions: unlessEmpty(6, list(text)),
  allowDiscards: unlessEmpty(7, bool),
});
export type EncryptionSpec = ValueOf<typeof encryptionSpec>;

export const locatorSpec = message({
  /** CEL expression that selects a volume. */
  match: unlessEmpty(1, cel),
  /** CEL expression that selects a disk. */
  diskMatch: unlessEmpty(2, cel),
});
export type LocatorSpec = ValueOf<typeof locatorSpec>;

const parameterSpec = message({
  type: field(1, fsParameterType),
  name: field(2, text),
  string: unlessEmpty(3, optional(text)),
  binary: unlessEmpty(5, bytes),
});
export type ParameterSpec = ValueOf<typeof parameterSpec>;

export const mountSpec = message({
  /** Absolute path, or path relative to the parent volume. */
  targetPath: field(1, text),
  selinuxLabel: field(2, text),
  /** Enable project quotas. */
  projectQuotaSupport: field(3, bool),
  /** ID of the parent volume. */
  parentId: unlessEmpty(4, text),
  fileMode: unlessEmpty(5, mode),
  uid: unlessEmpty(6, int),
  gid: unlessEmpty(7, int),
  recursiveRelabel: unlessEmpty(8, bool),
  bindTarget: unlessEmpty(9, optional(text)),
  /** Additional mount options of the file system. */
  parameters: unlessEmpty(10, list(parameterSpec)),
  /** Mount with `nosuid` and `nodev`. */
  secure: unlessEmpty(11, bool),
  noExec: unlessEmpty(12, bool),
});
export type MountSpec = ValueOf<typeof mountSpec>;

export const symlinkProvisioningSpec = message({
  symlinkTargetPath: field(1, text),
  force: field(2, bool),
});
export type SymlinkProvisioningSpec = ValueOf<typeof symlinkProvisioningSpec>;

export const tpmEncryptionOptionsInfo = message({
  pcrs: unlessEmpty(1, list(int)),
  pubKeyPcrs: unlessEmpty(2, list(int)),
});
export type TPMEncryptionOptionsInfo = ValueOf<typeof tpmEncryptionOptionsInfo>;
