// The list of what control planes applied to their cluster. It is kept in a ConfigMap of the cluster.
import type { JsonObject } from '@nodewright/state';

export interface InventoryEntry {
  /** Of the object when it was applied last. */
  readonly apiVersion: string;
  /** Whether a control plane created the object: one that was there before is never deleted. */
  readonly isOwn: boolean;
  /** What each control plane whose configuration has the object applied last, as `hashOf()` of it, by host name. */
  readonly appliedBy: Readonly<Record<string, string>>;
}

/** Entries by `inventoryKey()`. */
export type Inventory = ReadonlyMap<string, InventoryEntry>;

/** Source: Talos v1.14: bootstrap manifests, inventory. */
export const inventoryName = {
  namespace: 'kube-system',
  name: 'talos-bootstrap-manifests-inventory',
} as const;

/** Reads the data of the ConfigMap. What was written by others counts as applied by nobody, and as not created here. */
export function readInventory(data: unknown): Inventory {
  const entries = Object.entries(isMap(data) ? data : {});
  return new Map(entries.map(([key, text]) => [key, entryFrom(text)]));
}

function entryFrom(text: unknown): InventoryEntry {
  const value = parsed(text);
  const { apiVersion, isOwn, appliedBy } = isMap(value) ? value : {};
  const records = Object.entries(isMap(appliedBy) ? appliedBy : {});
  return {
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    isOwn: isOwn === true,
    appliedBy: Object.fromEntries(
      records.filter((record): record is [string, string] => typeof record[1] === 'string'),
    ),
  };
}

export function inventoryData(inventory: Inventory): JsonObject {
  return Object.fromEntries([...inventory].map(([key, entry]) => [key, JSON.stringify(entry)]));
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' && text !== '' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
