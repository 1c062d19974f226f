import type { Proof } from '../proof.ts';
import { compareProcesses, type ObservedProcess } from './compare-processes.ts';

/** The static pods that a node has to replace, because the new configuration renders others: names of components. */
export function expectedReplacements({ differences }: Pick<Proof, 'differences'>): string[] {
  return differences.flatMap(({ of, name, kind, rule }) => {
    // A rule of upstream's nodes says nothing about what a node of this project does.
    const [, component] = /^static pod (kube-[a-z-]+)$/.exec(name) ?? [];
    return of === 'file' && kind === 'changed' && rule === undefined && component !== undefined
      ? [component]
      : [];
  });
}

export interface SettlingNode {
  readonly before: readonly ObservedProcess[];
  readonly now: readonly ObservedProcess[];
  /** What `expectedReplacements()` names. */
  readonly expected: readonly string[];
  /** Whether its API server answers and its static pods are ready. */
  readonly isReady: boolean;
  /** How long its processes have been the same and it has been ready. */
  readonly unchangedMs: number;
}

/** How long a node must stay as it is before it counts as settled. A node that has to replace something begins within a second. */
export const quietMs = 5_000;

/** What a node is still waited for; `undefined` when it has settled. */
export function settlesFor({
  before,
  now,
  expected,
  isReady,
  unchangedMs,
}: SettlingNode): string | undefined {
  const outcomes = compareProcesses('', before, now);
  const isSame = (name: string) =>
    outcomes.some(
      ({ service, differs, outcome }) => service === name && (outcome === 'ended' || differs.length === 0),
    );
  const missing = expected.find(isSame);
  if (missing !== undefined) return `${missing} with its new arguments`;
  if (!isReady) return 'its API server and its static pods to be ready';
  return unchangedMs < quietMs ? `${quietMs / 1000} s without a change` : undefined;
}
