import type { EtcdKeyValue } from '../keys/key-value.ts';

/** A change of a key. */
export type KeyChange =
  | { readonly kind: 'put'; readonly keyValue: EtcdKeyValue }
  | { readonly kind: 'delete'; readonly key: string; readonly modRevision: bigint };

/** An event of a watch. */
export type PrefixUpdate =
  /** All keys with the prefix at a revision. It replaces everything from earlier events. */
  | { readonly kind: 'all'; readonly keyValues: readonly EtcdKeyValue[]; readonly revision: bigint }
  /** The changes in order, up to a revision. */
  | { readonly kind: 'changes'; readonly changes: readonly KeyChange[]; readonly revision: bigint };

export type PrefixWatch = AsyncIterable<PrefixUpdate>;

export interface WatchOptions {
  /** Called each time the connection is lost or cannot be opened; the watch retries by itself. */
  readonly onFailure?: (fault: Error) => void;
}
