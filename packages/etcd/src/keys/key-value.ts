/** A key with its value. Revisions count the writes of the whole store. */
export interface EtcdKeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  /** How often it was written since it came to be. */
  readonly version: bigint;
  /** The lease whose end removes it; 0 for none. */
  readonly lease: bigint;
}

/** Keys as they were at a revision. */
export interface KeyValues {
  readonly keyValues: readonly EtcdKeyValue[];
  readonly revision: bigint;
}

/** A condition of a transaction. Of a key that does not exist every number is 0. */
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

/** One step of a transaction. */
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
  /** Done when all comparisons hold. */
  readonly success: readonly KeyOperation[];
  /** Done otherwise. */
  readonly failure?: readonly KeyOperation[];
}

/** What a step of a transaction found or did, in the order of the steps. */
export interface OperationResult {
  /** What was found by a step that reads. */
  readonly keyValues: readonly EtcdKeyValue[];
  /** How many were deleted. */
  readonly deleted: bigint;
}

export interface TxnResult {
  /** Whether the comparisons held. */
  readonly succeeded: boolean;
  readonly revision: bigint;
  readonly results: readonly OperationResult[];
}
