/** Why something is different. It never has a value, which may be a secret. */
export interface ProofDifference {
  /** `setting` of the effective configuration, or a `file` that a node renders from it. */
  readonly of: 'setting' | 'file';
  /** The path of the setting, or the name of the file. */
  readonly name: string;
  readonly kind: 'changed' | 'added' | 'removed';
  /** In a file that changed: the keys that are different, the first ones. */
  readonly keys?: readonly string[];
  /**
   * `named`: a note of the conversion says it. `form`: the two forms write the same setting in different files, and mean the same.
   * `unnamed`: neither; a mistake, or a change that somebody wanted.
   */
  readonly cause: 'named' | 'form' | 'unnamed';
  /** The cause in one line. */
  readonly text: string;
  /** Set when the comparison follows upstream's nodes, where those of this project do something else. */
  readonly rule?: string;
}

/** What was not compared. */
export interface Unproven {
  /** A key as `KubeOtherConfig: key`, or the name of a file. */
  readonly name: string;
  readonly why: string;
  readonly position?: string;
}

/** A comparison of two configurations by what a node would make of them. */
export interface Proof {
  readonly differences: readonly ProofDifference[];
  readonly unproven: readonly Unproven[];
  /** Files that both configurations render to the same bytes. */
  readonly equalFiles: readonly string[];
}

/** Whether every difference has a cause that was named before. Keys that are not proven do not count. */
export function isProven({ differences }: Proof): boolean {
  return differences.every(({ cause }) => cause !== 'unnamed');
}
