import type { EtcdKeyValue } from '../keys/key-value.ts';

/** What has happened to a key. */
export type KeyChange =
  | { readonly kind: 'put'; readonly keyValue: EtcdKeyValue }
  | { readonly kind: 'delete'; readonly key: string; readonly modRevision: bigint };

/** What a watch tells. */
export type PrefixNews =
  /** Everything below the prefix at a revision, in place of all that was told before. */
  | { readonly kind: 'all'; readonly keyValues: readonly EtcdKeyValue[]; readonly revision: bigint }
  /** What has changed, in order, up to a revision. */
  | { readonly kind: 'changes'; readonly changes: readonly KeyChange[]; readonly revision: bigint };

export type PrefixWatch = AsyncIterable<PrefixNews>;

export interface WatchOptions {
  /** Told each time the connection is lost or cannot be made; the watch goes on by itself. */
  readonly onTrouble?: (fault: Error) => void;
}
