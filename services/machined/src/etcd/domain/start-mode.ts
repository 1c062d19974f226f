import type { MachineTypeName } from '@nodewright/state/kinds';

/** What the Bootstrap call asks for. */
export interface BootstrapWish {
  /** Start from the snapshot that was uploaded. */
  readonly recover: boolean;
  /** For a snapshot that was copied from a data directory and has no hash. */
  readonly skipHashCheck: boolean;
}

export type StartMode =
  /** Its data says all. */
  | { readonly kind: 'as-is' }
  /** A new cluster of which it is the only member. */
  | { readonly kind: 'new'; readonly wish: BootstrapWish }
  /** It asks the members that there are to take it in. */
  | { readonly kind: 'join' };

export interface StartFacts {
  readonly isDataEmpty: boolean;
  readonly machineType: MachineTypeName;
  /** The node has just been upgraded. */
  readonly hasUpgradeTag: boolean;
  /** Undefined: nobody has called Bootstrap. */
  readonly wish: BootstrapWish | undefined;
}

/** How etcd of this node comes up. Source: Talos v1.14: etcd, start mode. */
export function startModeOf({ isDataEmpty, machineType, hasUpgradeTag, wish }: StartFacts): StartMode {
  if (!isDataEmpty) return { kind: 'as-is' };
  if (wish !== undefined) return { kind: 'new', wish };
  if (machineType === 'init' && !hasUpgradeTag)
    return { kind: 'new', wish: { recover: false, skipHashCheck: false } };
  return { kind: 'join' };
}
