import { configurableVolumes, isFolderVolume, volumeSections } from '@nodewright/contract/volumes';
import { parseDuration } from '../../decode/duration.ts';
import { parseByteSize, parseSizeLimit } from '../../forms/byte-size.ts';
import type { CheckedDocument, DocumentRules } from '../checked-document.ts';
import { requireExpression } from '../require-expression.ts';

/** Rules for volumes and file systems. Source: Talos v1.14: machine configuration, block devices and volumes. */
export const blockRules: DocumentRules = {
  VolumeConfig: checkSystemVolume,
  UserVolumeConfig: checkUserVolume,
  RawVolumeConfig: checkPartitionVolume,
  SwapVolumeConfig: checkPartitionVolume,
  ExistingVolumeConfig(document) {
    if (!/^[A-Za-z0-9-]+$/.test(document.name)) document.refuse('must be letters, digits and "-"', 'name');
    requireExpression(document, 'volume', ['discovery', 'volumeSelector', 'match']);
    checkTrimAndScrub(document);
  },
  ExternalVolumeConfig(document) {
    checkVolumeName(document);
    if (document.text('filesystemType') !== 'virtiofs')
      document.refuse('must be "virtiofs"', 'filesystemType');
    document.require('mount', 'virtiofs', 'tag');
  },
  ZswapConfig(document) {
    const percent = document.integer('maxPoolPercent') ?? 20;
    if (percent < 0 || percent > 100) document.refuse('must be 0 to 100', 'maxPoolPercent');
  },
  FilesystemTrimConfig: (document) => checkNotNegative(document, 'interval'),
  FilesystemScrubConfig: checkScrubInterval,
};

function checkSystemVolume(document: CheckedDocument): void {
  const { name } = document;
  const volume = configurableVolumes.find(({ id }) => id === name);
  if (volume === undefined)
    document.refuse(`must be one of ${configurableVolumes.map(({ id }) => id).join(', ')}`, 'name');
  else
    for (const section of volumeSections)
      if (!volume.sections?.includes(section) && document.has(section))
        document.refuse(`is not supported for ${name}`, section);
  if (volume?.refusesLockToState) {
    for (const [at, key] of document.items('encryption', 'keys').entries())
      if (key.boolean('lockToState'))
        document.refuse(`is not supported for ${name}`, 'encryption', 'keys', at, 'lockToState');
  }
  // Without provisioning it is a directory of its parent.
  if (volume !== undefined && isFolderVolume(volume) && document.has('mount') && !hasProvisioning(document))
    document.refuse(`needs provisioning: without it ${name} is a directory`, 'mount');
  checkProvisioning(document);
  checkEncryption(document);
  checkTrimAndScrub(document);
}

function checkUserVolume(document: CheckedDocument): void {
  checkVolumeName(document);
  const type = document.text('volumeType') || 'partition';
  if (type === 'directory') {
    for (const path of [['provisioning'], ['encryption'], ['filesystem'], ['mount', 'disableAccessTime']])
      if (document.has(...path)) document.refuse('is not supported for a directory', ...path);
  } else if (type === 'disk') {
    requireSelector(document);
    for (const key of ['minSize', 'maxSize', 'grow'])
      if (document.has('provisioning', key))
        document.refuse('is not supported for a whole disk', 'provisioning', key);
  } else {
    requirePartition(document);
  }
  const isXfs = (document.text('filesystem', 'type') || 'xfs') === 'xfs';
  if (!isXfs && document.boolean('filesystem', 'projectQuotaSupport'))
    document.refuse('needs the file system xfs', 'filesystem', 'projectQuotaSupport');
  if (!isXfs && document.has('filesystem', 'xfs'))
    document.refuse('needs the file system xfs', 'filesystem', 'xfs');
  checkProvisioning(document);
  checkEncryption(document);
  checkTrimAndScrub(document);
}

function checkPartitionVolume(document: CheckedDocument): void {
  checkVolumeName(document);
  requirePartition(document);
  checkProvisioning(document);
  checkEncryption(document);
}

function checkVolumeName(document: CheckedDocument): void {
  if (!/^[A-Za-z0-9-]{1,34}$/.test(document.name))
    document.refuse('must be 1 to 34 letters, digits and "-"', 'name');
}

function requirePartition(document: CheckedDocument): void {
  requireSelector(document);
  if (!document.text('provisioning', 'minSize') && !document.text('provisioning', 'maxSize'))
    document.refuse('needs minSize or maxSize', 'provisioning');
}

function requireSelector(document: CheckedDocument): void {
  document.require('provisioning', 'diskSelector', 'match');
}

function hasProvisioning(document: CheckedDocument): boolean {
  return Object.keys(document.map('provisioning')).length > 0;
}

function checkProvisioning(document: CheckedDocument): void {
  if (document.text('provisioning', 'diskSelector', 'match') !== '')
    requireExpression(document, 'disk', ['provisioning', 'diskSelector', 'match']);
  checkSizeBounds(document);
}

/** Checks `minSize` and `maxSize` of `provisioning`. */
export function checkSizeBounds(document: CheckedDocument): void {
  const [minText, maxText] = [
    document.text('provisioning', 'minSize'),
    document.text('provisioning', 'maxSize'),
  ];
  const min = parseByteSize(minText);
  const max = parseSizeLimit(maxText);
  if (minText !== '' && min === undefined)
    document.refuse('must not be negative or a percentage', 'provisioning', 'minSize');
  if (min !== undefined && max?.kind === 'bytes' && min > max.bytes)
    document.refuse('must not be above maxSize', 'provisioning', 'minSize');
}

function checkEncryption(document: CheckedDocument): void {
  if (Object.keys(document.map('encryption')).length === 0) return;
  if (document.text('encryption', 'provider') !== 'luks2')
    document.refuse('must be "luks2"', 'encryption', 'provider');
  const keys = document.items('encryption', 'keys');
  if (keys.length === 0) document.refuse('needs at least one key', 'encryption', 'keys');
  const slots = new Set<number>();
  for (const key of keys) {
    const slot = key.integer('slot') ?? 0;
    if (slots.has(slot)) key.refuse('is used twice', 'slot');
    slots.add(slot);
    if (!['static', 'nodeID', 'kms', 'tpm'].some((method) => key.has(method)))
      key.refuse('needs one of static, nodeID, kms, tpm');
    const pcrs = key.value('tpm', 'options', 'pcrs');
    if (Array.isArray(pcrs) && pcrs.some((pcr) => Number(pcr) < 0 || Number(pcr) > 23))
      key.refuse('must be 0 to 23', 'tpm', 'options', 'pcrs');
  }
}

function checkTrimAndScrub(document: CheckedDocument): void {
  checkNotNegative(document, 'trim', 'interval');
  if (document.has('scrub')) checkScrubInterval(document.at('scrub'));
}

function checkScrubInterval(document: CheckedDocument): void {
  const interval = parseDuration(document.text('interval') || '0') ?? 0n;
  if (interval !== 0n && interval < 10_000_000_000n) document.refuse('must be 0 or at least 10s', 'interval');
}

/** Reports an error if a duration is negative. */
export function checkNotNegative(document: CheckedDocument, ...path: string[]): void {
  if (document.text(...path).startsWith('-')) document.refuse('must not be negative', ...path);
}
