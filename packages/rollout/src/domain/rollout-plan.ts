// The plan of a roll-out: data that lies in etcd, that a dry run prints, and that any control plane can go on with.

export const nodeRoles = ['control-plane', 'worker'] as const;
export type NodeRole = (typeof nodeRoles)[number];

/** How far a node is. `acting` begins before the node is asked to act, so that a driver that dies leaves no act that the plan does not show. */
export type NodeProgress =
  | { readonly state: 'waiting' }
  /** `spentMs`: how long drivers have waited for it, in ms. */
  | { readonly state: 'acting'; readonly spentMs: number }
  | { readonly state: 'done' }
  | { readonly state: 'failed'; readonly reason: string };

export interface PlannedNode {
  /** Host name, unique in the plan. */
  readonly name: string;
  readonly role: NodeRole;
  /** Counts from 1. A node acts once for each attempt, however often it is asked. */
  readonly attempt: number;
  readonly progress: NodeProgress;
}

/**
 * `paused`: until somebody resumes it. `stopped`: a node did not become well, so no other is touched until somebody resumes or aborts it.
 * In all phases but `running` no node is asked to begin; those that act are followed until they are well or fail.
 */
export const rolloutPhases = ['running', 'paused', 'stopped', 'aborted', 'done'] as const;
export type RolloutPhase = (typeof rolloutPhases)[number];

export interface RolloutPlan {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** What each node does, in the words of the part that does it. This package only keeps it. */
  readonly action: string;
  /** How many nodes may be unavailable at the same time. Of control planes it is never more than one. */
  readonly maxUnavailable: number;
  /** The plan pauses when this many nodes are done; 0: never. */
  readonly pauseAfter: number;
  /** How long a node may act, in ms. */
  readonly limitMs: number;
  readonly phase: RolloutPhase;
  /** Why it is paused, stopped or aborted; otherwise empty. */
  readonly reason: string;
  /** What the driver waited for when it looked last; empty when it waits for nothing. */
  readonly waitsFor: string;
  /** In the order of their turns: control planes first. */
  readonly nodes: readonly PlannedNode[];
}

/** Limits of a plan, in characters unless a name says otherwise. What is beyond them is refused when a plan is made or read. */
export const planLimits = {
  nodes: 500,
  nameLength: 253,
  actionLength: 2048,
  /** What is longer is cut when it is recorded. */
  reasonLength: 500,
  limitMs: 24 * 3_600_000,
  attempts: 1000,
  /** More than a plan of all these limits needs. A request to etcd may have 1.5 MiB. */
  sizeBytes: 1024 * 1024,
} as const;

/** A reason as a plan records it: of limited length, in one line. */
export function shortReason(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').toWellFormed();
  if (line.length <= planLimits.reasonLength) return line;
  return `${line.slice(0, planLimits.reasonLength - 3).toWellFormed()}...`;
}

/** Whether no driver has anything to do for this plan. */
export function isSettled({ phase, nodes }: RolloutPlan): boolean {
  return phase !== 'running' && nodes.every(({ progress }) => progress.state !== 'acting');
}

/** Whether it is over for good, so that another plan may take its place. */
export function isOver(plan: RolloutPlan): boolean {
  return isSettled(plan) && (plan.phase === 'done' || plan.phase === 'aborted');
}

/** What keeps another plan from its place, for people. */
export function unfinishedText({ phase, action, nodes, waitsFor }: RolloutPlan): string {
  if (phase !== 'aborted') return `another roll-out is ${phase} (${action})`;
  const names = nodes.filter(({ progress }) => progress.state === 'acting').map(({ name }) => name);
  // The driver knows more than the names, once it has looked.
  return `another roll-out is aborted (${action}), and not over yet: ${waitsFor || `${names.join(', ')} acts`}`;
}

/**
 * Whether the plan lets the node begin that attempt. A node asks this of the plan in etcd right before it acts, so that neither a request
 * that was delayed nor one for another node makes it act.
 */
export function isGranted(
  plan: RolloutPlan,
  asked: Pick<PlannedNode, 'name' | 'attempt'> & { readonly id: string },
): boolean {
  return (
    plan.id === asked.id &&
    plan.phase === 'running' &&
    plan.nodes.some(
      ({ name, attempt, progress }) =>
        name === asked.name && attempt === asked.attempt && progress.state === 'acting',
    )
  );
}
