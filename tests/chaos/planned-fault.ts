/** What is killed: one program of a node, or all of them at once. */
export type Victim = 'machined' | 'apid' | 'trustd' | 'registryd' | 'etcd' | 'node';

/** One kill of the schedule. */
export interface PlannedFault {
  /** Time since the beginning of the run, in ms. */
  readonly atMs: number;
  /** Name of the node. */
  readonly node: string;
  readonly victim: Victim;
}
