// What identifies an object in a cluster, and its place in a list of applied objects.
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@nodewright/state';

/** An object in a cluster. */
export interface ObjectIdentity {
  /** `v1`, or `<group>/<version>`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for an object of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** How the API server serves a kind. */
export interface KindPlace {
  /** The plural in paths. */
  readonly resource: string;
  readonly isNamespaced: boolean;
}

/** The group of `<group>/<version>`; empty for the group without a name. */
export const groupOf = (apiVersion: string) =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The identity of an object of a manifest, which may leave out its namespace. */
export function identityOf(object: JsonObject, isNamespaced: boolean): ObjectIdentity {
  const metadata = mapOf(object.metadata);
  return {
    apiVersion: textOf(object.apiVersion),
    kind: textOf(object.kind),
    namespace: isNamespaced ? textOf(metadata.namespace) || 'default' : '',
    name: textOf(metadata.name),
  };
}

/** `Deployment kube-system/coredns`, for people. */
export function objectText({ kind, namespace, name }: ObjectIdentity): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/**
 * The key of an object in an inventory: `<namespace>_<name>_<group>_<kind>`. Names of roles may contain colons, which a
 * ConfigMap does not allow in keys. Source: cli-utils: object metadata.
 */
export function inventoryKey({ apiVersion, kind, namespace, name }: ObjectIdentity): string {
  return [namespace, name.replaceAll(':', '__'), groupOf(apiVersion), kind].join('_');
}

/** The reverse of `inventoryKey()`; `undefined` for a key of another form. The version is not in the key. */
export function identityFromKey(key: string, apiVersion: string): ObjectIdentity | undefined {
  const [namespace, ...rest] = key.split('_');
  const [kind, group] = [rest.pop(), rest.pop()];
  const name = rest.join('_').replaceAll('__', ':');
  if (namespace === undefined || kind === undefined || group === undefined || name === '') return undefined;
  return group === groupOf(apiVersion) ? { apiVersion, kind, namespace, name } : undefined;
}

/** Objects of the first kinds are applied first, because others depend on them. Source: Talos v1.14: bootstrap manifests. */
export const phases = ['namespaces', 'definitions', 'others'] as const;
export type Phase = (typeof phases)[number];

export function phaseOf({ apiVersion, kind }: JsonObject): Phase {
  const group = groupOf(textOf(apiVersion));
  if (kind === 'Namespace' && group === '') return 'namespaces';
  return kind === 'CustomResourceDefinition' && group === 'apiextensions.k8s.io' ? 'definitions' : 'others';
}

/** A text that differs when the objects differ, whatever the order of their keys. */
export function hashOf(object: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(object)))
    .digest('hex')
    .slice(0, 16);
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

const textOf = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '');
const mapOf = (value: JsonValue | undefined) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
