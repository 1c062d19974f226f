// What of a value may be used on another host: names and numbers, but no address, no URL and no path of a file.
import {
  entriesOf,
  isYamlList,
  isYamlMap,
  mapFromEntries,
  type YamlMap,
  type YamlValue,
} from '../yaml/yaml-value.ts';

/** Why a local cluster does not take a part of a configuration. */
export type LocalReason =
  | 'secrets'
  | 'addresses'
  | 'images'
  /** It would call, or be called by, other hosts, or it names their files. */
  | 'hosts'
  | 'disks'
  | 'links'
  | 'kubelet'
  | 'containers'
  | 'machine';

const address = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:]*:[\da-f.]*)$/i;

/** Whether a text is an IP address, without the length of a network: such a range may be one of Kubernetes. */
export const isAddress = (text: string): boolean => address.test(text);

/** Whether a text names a host by its address or a URL, or a file of the machine. */
export function isForeign(text: string): boolean {
  return text.split(',').some((item) => {
    const trimmed = item.trim();
    const host = /^\[?(.*?)\]?(?::\d+)?$/.exec(trimmed)?.[1] ?? '';
    return trimmed.startsWith('/') || trimmed.includes('://') || isAddress(host) || isAddress(trimmed);
  });
}

/** Whether a text anywhere in a value does. */
export function hasForeign(value: YamlValue | undefined): boolean {
  if (typeof value === 'string') return isForeign(value);
  if (isYamlList(value)) return value.some(hasForeign);
  return isYamlMap(value) && entriesOf(value).some(([, child]) => hasForeign(child));
}

/** Flags that need another one that names a file or a host, and fail without it. */
const dependent = [
  'oidc-',
  'authentication-token-webhook',
  'authorization-webhook',
  'audit-webhook',
  'external-hostname',
  'cloud-',
];
/** Plug-ins that do not start without a file of the machine. */
const needFiles = /^ImagePolicyWebhook$/;

/** Flags, or variables of the environment, without those that name hosts or files. The same map when nothing is left out. */
export function ownFlags(flags: YamlMap): YamlMap {
  const left = entriesOf(flags).flatMap(([name, value]): [string, YamlValue][] => {
    if (hasForeign(value) || dependent.some((prefix) => name.startsWith(prefix))) return [];
    return [[name, name === 'enable-admission-plugins' ? ownPlugins(value) : value]];
  });
  const isSame =
    left.length === entriesOf(flags).length && left.every(([name, value]) => flags[name] === value);
  return isSame ? flags : mapFromEntries(left);
}

function ownPlugins(value: YamlValue): YamlValue {
  const names = typeof value === 'string' ? value.split(',') : isYamlList(value) ? value : [];
  const left = names.filter((name) => typeof name !== 'string' || !needFiles.test(name));
  if (left.length === names.length) return value;
  return typeof value === 'string' ? left.join(',') : left;
}

/** The configuration of an admission plug-in; `false` when the plug-in would call a host or read a file. */
export function isOwnPlugin(plugin: YamlValue): boolean {
  if (!isYamlMap(plugin)) return true;
  return !/Webhook$/.test(String(plugin.name)) && !hasForeign(plugin.configuration);
}

/** A map without the keys whose values name hosts or files. The same map when nothing is left out. */
export function ownKeys(map: YamlMap): YamlMap {
  const entries = entriesOf(map);
  const left = entries.filter(([, value]) => !hasForeign(value));
  return left.length === entries.length ? map : mapFromEntries(left);
}
