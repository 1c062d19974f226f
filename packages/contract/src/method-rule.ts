import type { Role } from './roles.ts';

/**
 * What one method of machined's socket needs of its caller and of its node, and what users are told of it. How its
 * messages flow is in its contract (`methodKinds`), whether it takes `nodes` is a matter of its service
 * (`isOneToManyMethod()`).
 */
export interface MethodRule {
  /** Any one of these lets the caller in. */
  readonly roles: readonly Role[];
  /**
   * True when the call changes the node or issues credentials. False is a pure read: a client may send it again by
   * another endpoint when it does not know what became of the first attempt.
   */
  readonly mutates: boolean;
  /** The command of talosctl that the method is for; undefined when no command needs it. */
  readonly command: string | undefined;
  /**
   * How long a request may be: a machine configuration, a file or a resource (large), or a value (medium). Without it,
   * short: all other requests name a few things.
   */
  readonly request?: 'configuration' | 'large' | 'medium';
  /**
   * Why the method has no handler, as the end of a sentence: it answers UNIMPLEMENTED `method <name> is not implemented:
   * <reason>` after the check of roles. A method with a handler has no reason.
   */
  readonly notImplemented?: string;
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
