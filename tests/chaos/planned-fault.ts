/** All that can be killed: one program of a node, or all of them at once. */
export const victims = [
  ...(['machined', 'apid', 'trustd', 'registryd', 'etcd', 'kubelet', 'kube-apiserver'] as const),
  'node',
] as const;
export type Victim = (typeof victims)[number];

/** One kill of the schedule. */
export interface PlannedFault {
  /** Time since the beginning of the run, in ms. */
  readonly atMs: number;
  /** Name of the node. */
  readonly node: string;
  readonly victim: Victim;
}
