/** A key with its value. Revisions count the writes of the whole store. */
export interface EtcdKeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  /** Number of writes since the key was created. */
  readonly version: bigint;
  /** The lease whose end deletes the key; 0 without a lease. */
  readonly lease: bigint;
}

/** Keys at a revision. */
export interface KeyValues {
  readonly keyValues: readonly EtcdKeyValue[];
  readonly revision: bigint;
  /** The id of the etcd cluster that has answered. One that was restored from a snapshot has another id. */
  readonly clusterId: bigint;
}

/** A condition of a transaction. For a key that does not exist, every number is 0. */
export type KeyComparison = {
  readonly key: string;
  /** Default `=`. */
  readonly is?: '=' | '!=' | '<' | '>';
} & (
  | { readonly createRevision: bigint }
  | { readonly modRevision: bigint }
  | { readonly version: bigint }
  | { readonly lease: bigint }
  | { readonly value: string | Uint8Array }
);

/** One operation of a transaction. */
export type KeyOperation =
  | { readonly kind: 'get'; readonly key: string }
  | { readonly kind: 'list'; readonly prefix: string }
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly value: string | Uint8Array;
      readonly lease?: bigint;
    }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'delete-prefix'; readonly prefix: string };

export interface TxnRequest {
  readonly compare: readonly KeyComparison[];
  /** Run when all comparisons are true. */
  readonly success: readonly KeyOperation[];
  /** Run otherwise. */
  readonly failure?: readonly KeyOperation[];
}

/** The result of each operation, in the order of the operations. */
export interface OperationResult {
  /** The keys that a read found. */
  readonly keyValues: readonly EtcdKeyValue[];
  /** The number of deleted keys. */
  readonly deleted: bigint;
}

export interface TxnResult {
  /** Whether the comparisons were true. */
  readonly succeeded: boolean;
  readonly revision: bigint;
  readonly results: readonly OperationResult[];
}
