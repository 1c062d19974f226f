// The upgrade of all nodes, as the program tells pages of it, and what both sides derive from it.
import type { NodeSummary } from './messages.ts';

export interface RolloutState {
  /** Null: none has begun yet. Undefined: not known. */
  readonly plan?: RolloutPlan | null | undefined;
  /** Why it is not known now. `plan` is then what was known before. */
  readonly problem?: RolloutProblem | undefined;
  /** When the program saw the plan become over; undefined for one that was over before it looked. */
  readonly endedMs?: number | undefined;
}

export interface RolloutProblem {
  /**
   * `unsupported`: the nodes have no such call. `forbidden`: the user may not ask. `elsewhere`: no endpoint is a control plane. `refused`: the
   * plan is not valid, and nobody acts on it until it is aborted. `silent`: nobody answers at the moment.
   */
  readonly kind: 'unsupported' | 'forbidden' | 'elsewhere' | 'refused' | 'silent';
  readonly message: string;
  readonly sinceMs: number;
}

export interface RolloutPlan {
  readonly id: string;
  /** What each node does. */
  readonly action: string;
  /** `running`, `paused`, `stopped`, `aborted` or `done`. */
  readonly phase: string;
  /** Why it is paused, stopped or aborted; otherwise empty. */
  readonly reason: string;
  /** Empty when it waits for nothing. */
  readonly waitsFor: string;
  /** Nobody carries it out any more, until somebody asks for it. */
  readonly isSettled: boolean;
  readonly maxUnavailable: number;
  /** 0: it does not pause by itself. */
  readonly pauseAfter: number;
  /** The control plane that carries it out; empty while none does, or where nodes do not tell. */
  readonly driver: string;
  /** Undefined where nodes do not tell. */
  readonly startedMs?: number | undefined;
  /** In the order of their turns. */
  readonly turns: readonly RolloutTurn[];
  /** How many nodes the plan has; `turns` has at most `limits.rolloutNodes`. */
  readonly nodeCount: number;
}

export interface RolloutTurn {
  /** Host name. */
  readonly name: string;
  readonly role: 'control plane' | 'worker' | 'unknown';
  /** Counts from 1. */
  readonly attempt: number;
  /** `waiting`, `acting`, `done` or `failed`. */
  readonly state: string;
  /** Why it has failed; otherwise empty. */
  readonly reason: string;
  /** How long it acts. */
  readonly spentMs: number;
  /** What the node has said of this attempt, in the order of the steps; empty before it has. */
  readonly steps: readonly TurnStep[];
  /** Why the node does not tell its steps. */
  readonly stepsProblem?: string | undefined;
}

export interface TurnStep {
  readonly name: string;
  /** `pending`, `running`, `waiting`, `done` or `failed`. */
  readonly state: string;
  readonly reason: string;
}

/** Whether it is over for good: nothing happens to it any more, whatever somebody asks. */
export const isRolloutOver = ({ phase, isSettled }: Pick<RolloutPlan, 'phase' | 'isSettled'>): boolean =>
  isSettled && (phase === 'done' || phase === 'aborted');

/** The host name of a node, as a plan has it: the user may name nodes by their addresses. */
export const hostOf = ({ name, hostname }: Pick<NodeSummary, 'name' | 'hostname'>): string =>
  (hostname ?? name).toLowerCase();

/** The turn of a node of the page. */
export function turnOf(
  state: RolloutState | undefined,
  node: Pick<NodeSummary, 'name' | 'hostname'>,
): RolloutTurn | undefined {
  const own = hostOf(node);
  return state?.plan?.turns.find((turn) => turn.name === own);
}

/** The step that a node is at; undefined before it has said anything. */
export const currentStep = ({ steps }: Pick<RolloutTurn, 'steps'>): TurnStep | undefined =>
  steps.find(({ state }) => state !== 'done') ?? steps.at(-1);

/** The steps in which the machine is told to restart, and those in which it starts its new system. */
const awaySteps: ReadonlySet<string> = new Set(['reboot', 'check', 'confirm']);
/** For so long a node keeps its turn while it is away. What takes longer is no restart any more. */
export const longestRestartMs = 900_000;

/** Whether a node that went away at that time restarts for its upgrade, and is expected back. A node that dies in another step is not. */
export function isExpectedAway(turn: RolloutTurn | undefined, sinceMs: number, nowMs: number): boolean {
  if (turn?.state !== 'acting' || nowMs - sinceMs > longestRestartMs) return false;
  return awaySteps.has(currentStep(turn)?.name ?? '');
}
