import type { MachineTypeName } from '@nodewright/state/kinds';

/** The options of a Bootstrap call. */
export interface BootstrapWish {
  /** Whether to start from the uploaded snapshot. */
  readonly recover: boolean;
  /** Set for a snapshot that was copied from a data directory and has no hash. */
  readonly skipHashCheck: boolean;
}

export type StartMode =
  /** Starts with the existing data. */
  | { readonly kind: 'as-is' }
  /** Creates a new cluster with this node as its only member. */
  | { readonly kind: 'new'; readonly wish: BootstrapWish }
  /** Joins the existing members. */
  | { readonly kind: 'join' };

export interface StartFacts {
  readonly isDataEmpty: boolean;
  readonly machineType: MachineTypeName;
  /** Whether the node has just been upgraded. */
  readonly hasUpgradeTag: boolean;
  /** The options of the Bootstrap call; `undefined` when it has not been called. */
  readonly wish: BootstrapWish | undefined;
}

/** How this node's etcd starts. Source: Talos v1.14: etcd, start mode. */
export function startModeOf({ isDataEmpty, machineType, hasUpgradeTag, wish }: StartFacts): StartMode {
  if (!isDataEmpty) return { kind: 'as-is' };
  if (wish !== undefined) return { kind: 'new', wish };
  if (machineType === 'init' && !hasUpgradeTag)
    return { kind: 'new', wish: { recover: false, skipHashCheck: false } };
  return { kind: 'join' };
}
