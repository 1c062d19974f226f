// What must change for the Node object to agree with the configuration. Source: Talos v1.14: labels, taints, annotations, cordon.
import type { KubeNode, KubeTaint } from '@nodewright/client/kube-nodes';
import type { JsonObject, JsonValue } from '@nodewright/state';

/** What the configuration and the stage of the machine want of the Node object. */
export interface WantedNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly KubeTaint[];
  readonly isCordoned: boolean;
}

/** A change that the API server accepts or refuses as a whole. */
export type NodePatchKind = 'cordon' | 'labels' | 'annotations' | 'taints';

export interface NodePatch {
  readonly kind: NodePatchKind;
  /** A JSON merge patch, which the API server refuses when the node has changed since. */
  readonly patch: JsonObject;
}

/** Present while the node is cordoned by machined and not by a user. */
export const cordonedAnnotation = 'talos.dev/cordoned';
/** The keys that machined wrote, each list a JSON array. */
export const ownedAnnotations = {
  labels: 'talos.dev/owned-labels',
  annotations: 'talos.dev/owned-annotations',
  taints: 'talos.dev/owned-taints',
} as const;

const reserved: ReadonlySet<string> = new Set([cordonedAnnotation, ...Object.values(ownedAnnotations)]);

/**
 * The changes, most urgent first; empty when the node agrees. Only keys that machined owns are changed or removed. A key with another
 * value that somebody else set stays as it is. One that has the wanted value already is owned from then on, because the kubelet
 * registers the node with its taints.
 */
export function planNode(node: KubeNode, wanted: WantedNode): NodePatch[] {
  return [
    cordonPatch(node, wanted.isCordoned),
    mapPatch(node, 'labels', wanted.labels),
    mapPatch(
      node,
      'annotations',
      Object.fromEntries(Object.entries(wanted.annotations).filter(([key]) => !reserved.has(key))),
    ),
    taintPatch(node, wanted.taints),
  ].filter((patch) => patch !== undefined);
}

function cordonPatch(node: KubeNode, isWanted: boolean): NodePatch | undefined {
  const isOwn = ownValue(node.metadata?.annotations, cordonedAnnotation) !== undefined;
  // A node that a user has cordoned stays so when the machine comes back.
  if (isWanted ? node.spec?.unschedulable === true : !isOwn) return undefined;
  const annotations = { [cordonedAnnotation]: isWanted ? 'true' : null };
  return {
    kind: 'cordon',
    patch: { metadata: { ...versionOf(node), annotations }, spec: { unschedulable: isWanted || null } },
  };
}

function mapPatch(
  node: KubeNode,
  kind: 'labels' | 'annotations',
  wanted: Readonly<Record<string, string>>,
): NodePatch | undefined {
  const current = node.metadata?.[kind] ?? {};
  const owned = ownedKeys(node, kind);
  const set: Record<string, string | null> = {};
  const owns = new Set<string>();
  for (const [key, value] of Object.entries(wanted)) {
    const before = ownValue(current, key);
    if (before !== undefined && before !== value && !owned.has(key)) continue;
    owns.add(key);
    if (before !== value) set[key] = value;
  }
  for (const key of owned) {
    if (!Object.hasOwn(wanted, key) && ownValue(current, key) !== undefined) set[key] = null;
  }
  const ownership = ownershipChange(owned, owns, kind);
  if (Object.keys(set).length === 0 && ownership === undefined) return undefined;
  const changes =
    kind === 'annotations'
      ? { annotations: { ...set, ...ownership } }
      : { labels: set, ...(ownership && { annotations: ownership }) };
  return { kind, patch: { metadata: { ...versionOf(node), ...changes } } };
}

function taintPatch(node: KubeNode, wanted: readonly KubeTaint[]): NodePatch | undefined {
  const current = node.spec?.taints ?? [];
  const owned = ownedKeys(node, 'taints');
  const owns = new Set<string>();
  const added: KubeTaint[] = [];
  const replaced = new Set([...owned].filter((key) => !wanted.some((taint) => taint.key === key)));
  for (const taint of wanted) {
    const before = current.filter(({ key }) => key === taint.key);
    const isThere = before.length === 1 && before.every((other) => isSame(other, taint));
    if (before.length > 0 && !isThere && !owned.has(taint.key)) continue;
    owns.add(taint.key);
    if (isThere) continue;
    replaced.add(taint.key);
    added.push(taint);
  }
  const taints = [...current.filter(({ key }) => !replaced.has(key)), ...added];
  const ownership = ownershipChange(owned, owns, 'taints');
  const isChanged = added.length > 0 || taints.length !== current.length;
  if (!isChanged && ownership === undefined) return undefined;
  return {
    kind: 'taints',
    patch: {
      metadata: { ...versionOf(node), ...(ownership && { annotations: ownership }) },
      ...(isChanged && { spec: { taints: taints as unknown as JsonValue } }),
    },
  };
}

const isSame = (a: KubeTaint, b: KubeTaint) => a.effect === b.effect && (a.value ?? '') === (b.value ?? '');

/** The annotation that records the owned keys, when it has to change. */
function ownershipChange(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  kind: keyof typeof ownedAnnotations,
): Record<string, string | null> | undefined {
  if (before.symmetricDifference(after).size === 0) return undefined;
  return { [ownedAnnotations[kind]]: after.size === 0 ? null : JSON.stringify([...after].sort()) };
}

/** Somebody else may have written anything there: then nothing is owned. */
function ownedKeys(node: KubeNode, kind: keyof typeof ownedAnnotations): ReadonlySet<string> {
  try {
    const keys: unknown = JSON.parse(ownValue(node.metadata?.annotations, ownedAnnotations[kind]) ?? '[]');
    const isList = Array.isArray(keys) && keys.every((key) => typeof key === 'string');
    return new Set(isList ? (keys as string[]).filter((key) => !reserved.has(key)) : []);
  } catch {
    return new Set();
  }
}

const ownValue = (map: Readonly<Record<string, string>> | undefined, key: string): string | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

function versionOf({ metadata }: KubeNode): JsonObject {
  return metadata?.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion };
}
