import type { Role } from './roles.ts';

/** How requests and responses flow. */
export type MethodKind = 'unary' | 'server-stream' | 'client-stream' | 'bidi';

/** What one method of machined's socket needs of its caller and of its node. */
export interface MethodRule {
  /** Any one of these lets the caller in. */
  readonly roles: readonly Role[];
  readonly kind: MethodKind;
  /** apid spreads a call with `nodes` metadata over its targets; false: it answers INVALID_ARGUMENT. */
  readonly nodes: boolean;
  /**
   * True when the call changes the node or issues credentials. False is a pure read: a client may send it again by
   * another endpoint when it does not know what became of the first attempt.
   */
  readonly mutates: boolean;
  /**
   * Only control plane nodes have it; elsewhere UNIMPLEMENTED, in whose message this text names the API:
   * `<text> is only available on control plane nodes`.
   */
  readonly controlPlaneOnly?: string;
  /** Callers without `os:admin` pass only while the node is in maintenance, else PERMISSION_DENIED `not authorized`. */
  readonly maintenance?: true;
  /** Mode `metal-agent` answers UNIMPLEMENTED `API is not implemented in agent mode`. */
  readonly agent?: 'refused';
  /** Mode `container` answers FAILED_PRECONDITION `method is not supported in container mode`. */
  readonly containerMode?: 'refused';
  /** Still served; upstream removes it in v1.18. */
  readonly deprecated?: true;
}
