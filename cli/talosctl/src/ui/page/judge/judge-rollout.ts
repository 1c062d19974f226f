// What the page says about the upgrade of all nodes.
import {
  currentStep,
  hostOf,
  isRolloutOver,
  type RolloutPlan,
  type RolloutProblem,
  type RolloutState,
  type RolloutTurn,
} from '../../protocol/rollout.ts';
import { durationText } from '../parts/figures.ts';
import type { Condition, Statement } from './condition.ts';
import { type JudgedNode, restartText } from './judge-nodes.ts';
import type { Snapshot } from './snapshot.ts';
import { stages, type TurnWord, turnWord } from './turn-words.ts';

export interface JudgedStage {
  readonly name: string;
  readonly state: 'pending' | 'running' | 'waiting' | 'done' | 'failed' | 'unknown';
}

export interface JudgedTurn {
  /** Host name. */
  readonly name: string;
  /** The node of this page; undefined when it shows none of that name. */
  readonly node: string | undefined;
  readonly role: RolloutTurn['role'];
  readonly attempt: number;
  readonly word: TurnWord;
  /** Whether it acts, or has failed. */
  readonly isActive: boolean;
  readonly condition: Condition;
  readonly stages: readonly JudgedStage[];
  /** What it waits for, why it has failed, and why its steps are not known. */
  readonly reasons: readonly string[];
  /** How long it acts. */
  readonly spentMs: number;
}

/** A command of talosctl, without the program and the context. */
export interface RolloutCommand {
  readonly words: string;
  readonly does: string;
}

export interface JudgedRollout {
  /** Part of the statement about the cluster; undefined while there is nothing to say. */
  readonly statement: Statement | undefined;
  /** Whether the overview shows it: it runs, waits for somebody, or has ended a moment ago. */
  readonly isShown: boolean;
  /** The state in a few words. */
  readonly headline: string;
  readonly condition: Condition;
  /** What it waits for; empty when it waits for nothing. */
  readonly waitsFor: string;
  /** What can be said of a page that does not know the state now. */
  readonly problem: string | undefined;
  readonly plan: RolloutPlan | undefined;
  readonly done: number;
  readonly turns: readonly JudgedTurn[];
  readonly commands: readonly RolloutCommand[];
}

/** How long the overview shows a roll-out that is over. */
const shownAfterMs = 600_000;

export function judgeRollout(snapshot: Snapshot, nodes: readonly JudgedNode[], nowMs: number): JudgedRollout {
  const { rollout = {}, isLive } = snapshot;
  const plan = rollout.plan ?? undefined;
  const isOver = plan === undefined || isRolloutOver(plan);
  const nodesByHost = new Map(
    snapshot.names.map((name) => [hostOf(snapshot.summaries.get(name) ?? { name }), name]),
  );
  const done = plan?.turns.filter(({ state }) => state === 'done').length ?? 0;
  const phase = phaseOf(rollout, done);
  const problem = rollout.problem && problemText(rollout.problem, plan, nowMs);
  const isWaited = rollout.problem?.kind === 'refused' || !isOver;
  const hasJustEnded = rollout.endedMs !== undefined && nowMs - rollout.endedMs < shownAfterMs;
  const isOld = !isLive || rollout.problem !== undefined;
  const condition =
    isLive && rollout.problem?.kind === 'refused' ? 'warning' : isOld ? 'unknown' : phase.condition;
  const away = restartText(nodes);
  const note =
    rollout.problem !== undefined && !isOver
      ? 'the state of the upgrade is not known now'
      : ((rollout.problem?.kind === 'refused' ? problem : undefined) ??
        [phase.headline, away].filter(Boolean).join('; '));
  return {
    statement: isWaited ? { value: phase.headline, note, condition } : undefined,
    isShown: isWaited || hasJustEnded,
    headline: phase.headline,
    condition,
    waitsFor: isOver || plan.isSettled ? '' : plan.waitsFor,
    problem,
    plan,
    done,
    turns: plan?.turns.map((turn) => judgeTurn(turn, plan, nodesByHost, isOld)) ?? [],
    commands: commandsOf(rollout),
  };
}

interface JudgedPhase {
  readonly headline: string;
  readonly condition: Condition;
}

function phaseOf({ plan, problem }: RolloutState, done: number): JudgedPhase {
  if (plan === undefined)
    return { headline: problem === undefined ? 'not known yet' : 'not known', condition: 'unknown' };
  if (plan === null) return { headline: 'no upgrade of all nodes has begun yet', condition: 'unknown' };
  const count = `${done} of ${plan.nodeCount} nodes done`;
  switch (plan.phase) {
    case 'running':
      return { headline: `upgrade: ${count}`, condition: 'good' };
    case 'paused':
      return { headline: `the upgrade is paused: ${plan.reason || count}`, condition: 'warning' };
    case 'stopped':
      return { headline: `the upgrade has stopped: ${plan.reason || count}`, condition: 'bad' };
    case 'aborted':
      return plan.isSettled
        ? { headline: `the upgrade was aborted: ${count}`, condition: 'unknown' }
        : { headline: 'the upgrade is aborted, and nodes that act go on', condition: 'warning' };
    case 'done':
      return { headline: `the upgrade is done: ${count}`, condition: 'good' };
    default:
      return { headline: `the upgrade is ${plan.phase}`, condition: 'unknown' };
  }
}

function problemText(
  { kind, message, sinceMs }: RolloutProblem,
  plan: RolloutPlan | undefined,
  nowMs: number,
): string {
  const before = plan === undefined ? '' : '. What follows was known before';
  switch (kind) {
    case 'unsupported':
      return 'These nodes have no upgrade of all nodes as one plan: "talosctl -n <node> upgrade" upgrades one after the other.';
    case 'forbidden':
      return `You may not read the upgrade of all nodes: ${message}${before}`;
    case 'elsewhere':
    case 'refused':
      return `${message}${before}`;
    case 'silent':
      return `No control plane has told the state for ${durationText(nowMs - sinceMs)}: ${message}${before}`;
  }
}

function judgeTurn(
  turn: RolloutTurn,
  plan: RolloutPlan,
  nodesByHost: ReadonlyMap<string, string>,
  isOld: boolean,
): JudgedTurn {
  const { name, role, attempt, spentMs } = turn;
  const node = nodesByHost.get(name);
  const word = turnWord(turn);
  const condition: Condition =
    turn.state === 'failed' ? 'bad' : turn.state === 'done' ? (isOld ? 'unknown' : 'good') : 'unknown';
  const isActive = turn.state === 'acting' || turn.state === 'failed';
  const parts = { stages: stagesOf(turn), reasons: reasonsOf(turn, plan) };
  return { name, node, role, attempt, word, isActive, condition, spentMs, ...parts };
}

function stagesOf(turn: RolloutTurn): readonly JudgedStage[] {
  return stages.map(({ name, steps }): JudgedStage => {
    if (turn.state === 'done') return { name, state: 'done' };
    if (turn.state === 'waiting') return { name, state: 'pending' };
    const own = turn.steps.filter((step) => steps.some((each) => each === step.name));
    const has = (state: string) => own.some((step) => step.state === state);
    if (own.length === 0) return { name, state: turn.stepsProblem === undefined ? 'pending' : 'unknown' };
    if (has('failed')) return { name, state: 'failed' };
    if (has('waiting')) return { name, state: 'waiting' };
    if (own.every(({ state }) => state === 'done')) return { name, state: 'done' };
    return { name, state: has('running') || has('done') ? 'running' : 'pending' };
  });
}

function reasonsOf(turn: RolloutTurn, { waitsFor, isSettled }: RolloutPlan): readonly string[] {
  if (turn.state === 'failed') return [turn.reason].filter(Boolean);
  if (turn.state === 'waiting') {
    const own = `the turn of ${turn.name}: `;
    return !isSettled && waitsFor.startsWith(own) ? [waitsFor.slice(own.length)] : [];
  }
  if (turn.state !== 'acting') return [];
  const current = currentStep(turn);
  if (current === undefined && turn.stepsProblem !== undefined)
    return [`its steps are not known: ${turn.stepsProblem}`];
  return current?.state === 'waiting' && current.reason !== '' ? [`waits: ${current.reason}`] : [];
}

const follow = { words: 'upgrade status --watch', does: 'follows it' };
const resume = { words: 'upgrade resume', does: 'goes on; nodes that failed get another attempt' };
const abort = { words: 'upgrade abort', does: 'ends it: no other node begins' };

function commandsOf({ plan, problem }: RolloutState): readonly RolloutCommand[] {
  if (problem?.kind === 'refused') return [abort];
  if (plan == null) return problem === undefined && plan === null ? [preview] : [];
  if (isRolloutOver(plan)) return [preview];
  switch (plan.phase) {
    case 'paused':
    case 'stopped':
      return [resume, abort];
    case 'aborted':
      return [follow, { words: abort.words, does: 'again: gives up on nodes that do not answer' }];
    default:
      return [follow, abort];
  }
}

const preview = {
  words: 'upgrade --all --image ARTEFACT --dry-run',
  does: 'shows what an upgrade of all nodes would do',
};
