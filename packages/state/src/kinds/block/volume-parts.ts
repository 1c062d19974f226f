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

export const diskSelector = message({
  /** CEL over disks. */
  match: unlessEmpty(1, cel),
  /** Name of external provider. */
  external: unlessEmpty(2, text),
});
export type DiskSelector = ValueOf<typeof diskSelector>;

export const partitionSpec = message({
  /** Bytes. */
  minSize: field(1, uint64),
  /** Bytes, 0 means grow. */
  maxSize: unlessEmpty(2, uint64),
  /** Percent. */
  relativeMaxSize: field(6, uint64),
  /** Max is space to leave free. */
  negativeMaxSize: field(7, bool),
  /** Grow on boot. */
  grow: field(3, bool),
  /** GPT label. */
  label: unlessEmpty(4, text),
  /** GPT type GUID. */
  typeUUID: unlessEmpty(5, text),
});
export type PartitionSpec = ValueOf<typeof partitionSpec>;

export const filesystemSpec = message({
  type: field(1, filesystemType),
  /** Fs label. */
  label: unlessEmpty(2, text),
  /** XFS AG minimum bytes. */
  minAllocationGroupSize: unlessEmpty(3, uint64),
});
export type FilesystemSpec = ValueOf<typeof filesystemSpec>;

export const provisioningSpec = message({
  /** Ordering wave. */
  wave: unlessEmpty(3, int),
  /** Which disk. */
  diskSelector: unlessEmpty(1, diskSelector),
  /** Partition layout. */
  partitionSpec: unlessEmpty(2, partitionSpec),
  /** Filesystem to create. */
  filesystemSpec: unlessEmpty(4, filesystemSpec),
});
export type ProvisioningSpec = ValueOf<typeof provisioningSpec>;

export const encryptionKey = message({
  /** LUKS slot. */
  slot: field(1, int),
  type: field(2, encryptionKeyType),
  /** Mix in STATE salt. */
  lockToState: unlessEmpty(6, bool),
  /** Secret. */
  staticPassphrase: unlessEmpty(3, textBytes),
  /** KMS URL. */
  kmsEndpoint: unlessEmpty(4, text),
  /** Require SecureBoot. */
  tpmCheckSecurebootStatusOnEnroll: unlessEmpty(5, bool),
  /** PCRs. */
  pcrs: unlessEmpty(7, list(int)),
  /** Signed PCRs. */
  pubKeyPcrs: unlessEmpty(8, list(int)),
});
export type EncryptionKey = ValueOf<typeof encryptionKey>;

export const encryptionSpec = message({
  provider: field(1, encryptionProviderType),
  /** Key slots. */
  keys: field(2, list(encryptionKey)),
  /** LUKS cipher. */
  cipher: unlessEmpty(3, text),
  /** Bits. */
  keySize: unlessEmpty(4, uint),
  /** Sector size. */
  blockSize: unlessEmpty(5, uint64),
  /** Dm-crypt flags. */
  perfOptions: unlessEmpty(6, list(text)),
  /** Pass discards. */
  allowDiscards: unlessEmpty(7, bool),
});
export type EncryptionSpec = ValueOf<typeof encryptionSpec>;

export const locatorSpec = message({
  /** CEL over volume. */
  match: unlessEmpty(1, cel),
  /** CEL over disk. */
  diskMatch: unlessEmpty(2, cel),
});
export type LocatorSpec = ValueOf<typeof locatorSpec>;

export const parameterSpec = message({
  type: field(1, fsParameterType),
  /** Option. */
  name: field(2, text),
  /** Value. */
  string: unlessEmpty(3, optional(text)),
  /** Value. */
  binary: unlessEmpty(5, bytes),
});
export type ParameterSpec = ValueOf<typeof parameterSpec>;

export const mountSpec = message({
  /** Absolute, or relative to parent. */
  targetPath: field(1, text),
  /** Label. */
  selinuxLabel: field(2, text),
  /** XFS prjquota. */
  projectQuotaSupport: field(3, bool),
  /** Parent volume id. */
  parentId: unlessEmpty(4, text),
  /** Decimal mode. */
  fileMode: unlessEmpty(5, mode),
  /** Owner. */
  uid: unlessEmpty(6, int),
  /** Group. */
  gid: unlessEmpty(7, int),
  /** Relabel/chown recursively. */
  recursiveRelabel: unlessEmpty(8, bool),
  /** Bind path. */
  bindTarget: unlessEmpty(9, optional(text)),
  /** Extra fs options. */
  parameters: unlessEmpty(10, list(parameterSpec)),
  /** Nosuid+nodev. */
  secure: unlessEmpty(11, bool),
  /** Noexec. */
  noExec: unlessEmpty(12, bool),
});
export type MountSpec = ValueOf<typeof mountSpec>;

export const symlinkProvisioningSpec = message({
  /** Link target. */
  symlinkTargetPath: field(1, text),
  /** Replace existing. */
  force: field(2, bool),
});
export type SymlinkProvisioningSpec = ValueOf<typeof symlinkProvisioningSpec>;

export const tpmEncryptionOptionsInfo = message({
  /** Bound PCRs. */
  pcrs: unlessEmpty(1, list(int)),
  /** Signed-policy PCRs. */
  pubKeyPcrs: unlessEmpty(2, list(int)),
});
export type TPMEncryptionOptionsInfo = ValueOf<typeof tpmEncryptionOptionsInfo>;
