import type { Role } from './roles.ts';

/**
 * The requirements of a method of machined's socket for its caller and its node, and its description for
 * users. `methodKinds` has which sides stream, and `isOneToManyMethod()` whether the method accepts `nodes`.
 */
export interface MethodRule {
  /** The caller needs one of these roles. */
  readonly roles: readonly Role[];
  /**
   * Whether the call changes the node or issues credentials. `false` is a pure read, which a client may
   * repeat at another endpoint when the result of the first attempt is unknown.
   */
  readonly mutates: boolean;
  /** The talosctl command that uses the method; `undefined` when no command does. */
  readonly command: string | undefined;
  /**
   * The size class of a request: a machine configuration, a file or a resource (`large`), or a value
   * (`medium`). Default: small, because most requests contain only a few names.
   */
  readonly request?: 'configuration' | 'large' | 'medium';
  /**
   * A call of the method has no end of its own: `always`, or when the boolean field with this number is set in its request; otherwise it is
   * a download. When apid stops, it ends such calls soon, and gives all others time to finish.
   */
  readonly endless?: 'always' | { readonly ifField: number };
  /**
   * Why the method has no handler, as the end of a sentence. After the check of roles the call fails with
   * UNIMPLEMENTED and `method <name> is not implemented: <reason>`. A method with a handler has no reason.
   */
  readonly notImplemented?: string;
  /**
   * Only control plane nodes have the method. On other nodes it fails with UNIMPLEMENTED and `<text> is only
   * available on control plane nodes`.
   */
  readonly controlPlaneOnly?: string;
  /** Outside of maintenance, callers without `os:admin` get PERMISSION_DENIED `not authorized`. */
  readonly maintenance?: true;
  /**
   * It returns contents of files. In maintenance the call fails with FAILED_PRECONDITION while STATE holds a configuration, also a
   * damaged one: its keys are those of the cluster.
   */
  readonly readsFiles?: true;
  /** In mode `metal-agent` the call fails with UNIMPLEMENTED `API is not implemented in agent mode`. */
  readonly agent?: 'refused';
  /**
   * In mode `container` the call fails with FAILED_PRECONDITION `method is not supported in container mode`. `without keeper`: not when a
   * keeper starts the container with the image that the node has chosen. `unless chosen`: nor when the node has chosen what the next start
   * begins with.
   */
  readonly containerMode?: 'refused' | 'without keeper' | 'unless chosen';
  /** Deprecated: upstream removes the method in v1.18. */
  readonly deprecated?: true;
}
