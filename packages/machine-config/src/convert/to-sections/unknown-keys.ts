import type { ConfigDocument } from '../../config-document.ts';
import { isYamlList, isYamlMap, type YamlValue } from '../../yaml/yaml-value.ts';
import { isUnset, valueAt } from '../value-path.ts';

/**
 * Keys that 1.14 added to kinds that 1.13 knows, each from the key of the document on; an element of a list has no name of its own.
 * Source: Talos v1.13.9: validate, which answers "unknown keys found during decoding" for each of them.
 */
const unknownKeys: Readonly<Record<string, readonly string[]>> = {
  DHCPv4Config: ['ignoreRoutes'],
  ExistingVolumeConfig: ['scrub', 'trim'],
  RawVolumeConfig: ['encryption.allowDiscards', 'trim'],
  ResolverConfig: ['nameservers.protocol', 'nameservers.tlsServerName'],
  SwapVolumeConfig: ['encryption.allowDiscards'],
  TimeSyncConfig: ['ntp.useNTS'],
  UserVolumeConfig: ['encryption.allowDiscards', 'filesystem.xfs', 'scrub', 'trim'],
  VolumeConfig: ['encryption.allowDiscards', 'filesystem.xfs', 'mount.disableAccessTime', 'scrub', 'trim'],
};

/** The keys of a document that 1.13 does not know. It refuses the document with them. */
export function unknownKeysOf({ kind, value }: ConfigDocument): string[] {
  const keys = Object.hasOwn(unknownKeys, kind) ? (unknownKeys[kind] ?? []) : [];
  return keys.filter((key) => has(value, key.split('.')));
}

function has(value: YamlValue | undefined, [first, ...rest]: readonly string[]): boolean {
  if (isYamlList(value)) return value.some((each) => has(each, first === undefined ? [] : [first, ...rest]));
  if (first === undefined) return !isUnset(value);
  return isYamlMap(value) && has(valueAt(value, [first]), rest);
}
