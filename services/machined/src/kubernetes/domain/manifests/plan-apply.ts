// Decides which objects a control plane applies, and which it deletes. All control planes of a cluster share one inventory.
import type { Inventory, InventoryEntry } from './inventory.ts';

/** What to do with an object of a manifest. */
export interface ApplyDecision {
  /** Whether the object must be applied now. */
  readonly apply: boolean;
  /** The entry before the object is applied, so that an interrupted pass knows what it has created. */
  readonly entry: InventoryEntry;
}

export interface WantedObject {
  readonly apiVersion: string;
  /** `hashOf()` of the object. */
  readonly hash: string;
  /** Whether the cluster has the object. */
  readonly exists: boolean;
}

/**
 * An object is applied when it is missing, and when this node wants another form of it than the one that it applied last. So
 * what a user changed in the cluster stays until the configuration changes, and a node whose configuration is old does not
 * undo what another one applied.
 */
export function decideApply(
  known: InventoryEntry | undefined,
  node: string,
  { apiVersion, hash, exists }: WantedObject,
): ApplyDecision {
  const appliedBy = known?.appliedBy ?? {};
  const own = appliedBy[node];
  const isSameAsOthers = own === undefined && Object.values(appliedBy).includes(hash);
  return {
    apply: !exists || (own !== hash && !isSameAsOthers),
    entry: { apiVersion, isOwn: known?.isOwn === true || !exists, appliedBy },
  };
}

/** The entry of an object after this node has applied it, or found it as it should be. */
export function recorded(entry: InventoryEntry, node: string, hash: string): InventoryEntry {
  return { ...entry, appliedBy: { ...entry.appliedBy, [node]: hash } };
}

export interface PrunePlan {
  /** Keys of objects to delete. */
  readonly remove: readonly string[];
  /** Keys to forget without deleting the object, and why. */
  readonly keep: readonly { readonly key: string; readonly reason: string }[];
  /** Entries that stay, without the records of nodes that no longer want the object. */
  readonly left: Inventory;
}

/** Kinds whose deletion would delete objects of others. */
const containers = ['_Namespace', '_CustomResourceDefinition'];

/**
 * Plans what to do with objects that left the configuration of this node. An object is deleted when no control plane of the
 * cluster wants it any more.
 *
 * @param wanted keys of everything in the configuration of this node
 * @param members host names of the control planes; `undefined` while they are not known, when all records count
 */
export function planPrune(
  inventory: Inventory,
  node: string,
  wanted: ReadonlySet<string>,
  members: ReadonlySet<string> | undefined,
): PrunePlan {
  const remove: string[] = [];
  const keep: { key: string; reason: string }[] = [];
  const left = new Map<string, InventoryEntry>();
  for (const [key, entry] of inventory) {
    const records = Object.entries(entry.appliedBy).filter(([name]) =>
      name === node ? wanted.has(key) : (members?.has(name) ?? true),
    );
    const isWanted = wanted.has(key) || records.length > 0;
    // A list of another program names objects that no control plane has applied.
    const isForeign = entry.apiVersion === '';
    if (isWanted || isForeign) left.set(key, { ...entry, appliedBy: Object.fromEntries(records) });
    else if (!entry.isOwn) keep.push({ key, reason: 'it existed before it was in the configuration' });
    else if (containers.some((suffix) => key.endsWith(suffix)))
      keep.push({ key, reason: 'its deletion would delete objects of others' });
    else remove.push(key);
  }
  return { remove, keep, left };
}
