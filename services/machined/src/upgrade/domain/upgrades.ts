/** What upgrades a machine. One call at a time: a second one is refused with `failed-precondition`. */
export interface Upgrades {
  /**
   * Writes the system of an artefact into the other slot, and lets the next start try it. Goes on when the caller leaves.
   *
   * @param report gets lines for people, without a line feed
   * @throws Fault `failed-precondition` with one line that says why it is refused, `data-loss` when bytes differ from what was signed,
   * `unavailable` when the registry ends
   */
  upgrade(request: SystemRequest, report: (line: string) => void): Promise<void>;
  /**
   * Records the upgrade: the next start begins with it.
   *
   * @throws Fault as `upgrade()`, for what can be seen without the artefact
   */
  stage(request: SystemRequest): Promise<void>;
  /**
   * Lets the next start have the system that was confirmed before.
   *
   * @throws Fault `failed-precondition` when no system was confirmed before
   */
  rollback(): Promise<void>;
  /**
   * Lets the next start have the running system, when it was to try another one. The machine does not restart.
   *
   * @throws Fault `failed-precondition` during a trial, and while an upgrade runs
   */
  disarm(): Promise<void>;
  /**
   * Installs on a disk from maintenance.
   *
   * @throws Fault as `upgrade()`
   */
  install(
    request: SystemRequest & { readonly disk: string; readonly wipes: boolean },
    report: (line: string) => void,
  ): Promise<void>;
  /** Whether this machine runs an installed system. */
  isInstalled(): boolean;
  /** Whether an installation or an upgrade runs, whatever has begun it: a call, the configuration, or a start with a staged upgrade. */
  isBusy(): boolean;
}

export interface SystemRequest {
  /** Reference of the artefact in a registry, or the digest or name of one in this node's store. */
  readonly image: string;
  readonly allowsDowngrade: boolean;
  /** A file with a set of extensions for the new image; undefined for none. */
  readonly extensionSet: string | undefined;
  readonly dropsExtensions: boolean;
}
