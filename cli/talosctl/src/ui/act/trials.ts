import { pauseBy, type Timers } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { applyConfiguration } from '../../configuration/apply-options.ts';
import { plainError } from '../../render/plain-error.ts';
import type { Trial, TryAnswer } from '../protocol/calls.ts';
import { readEdited } from './edit-configuration.ts';
import type { NodeConfigurations } from './node-configurations.ts';

interface RunningTrial {
  state: Trial['state'];
  problem?: string | undefined;
  readonly node: NodeClient;
  /** The text that the node was sent, with its secrets. */
  readonly text: string;
  /** The configuration before the trial. */
  readonly before: string;
  /** The configuration while the node tries the text; undefined as long as the node did not show one. */
  active: string | undefined;
  /** When the node goes back, on the clock of the timers. */
  readonly untilMs: number;
  readonly stop: AbortController;
}

export interface WantedTrial {
  /** The edited text, without secrets. */
  readonly text: string;
  /** Version of the configuration that the text replaces. */
  readonly over: string;
  readonly seconds: number;
}

export interface TrialsInit {
  readonly configurations: NodeConfigurations;
  readonly timers: Timers;
  /** Called when a trial began, changed or ended. */
  readonly onChange: (trials: readonly Trial[]) => void;
}

/** Between two looks at a node: while it tries a configuration, and when its trial should be over. */
const earlyLookMs = 5000;
const lookMs = 1000;
/** For one look. */
const answerMs = 5000;
/** How long a node may be late before the end of its trial counts as unknown. */
const lateMs = 60_000;

/**
 * The configurations that nodes try because a page asked for it, at most one per node. They belong to the program: a page that was
 * opened again shows them too. The node itself reverts them, also when this program has ended.
 */
export class Trials implements Disposable {
  readonly #init: TrialsInit;
  readonly #trials = new Map<string, RunningTrial>();

  constructor(init: TrialsInit) {
    this.#init = init;
  }

  get all(): readonly Trial[] {
    const nowMs = this.#init.timers.monotonicMs();
    return [...this.#trials.values()].map(({ node, state, untilMs, problem }) => ({
      ...{ node: node.name, state, problem, leftMs: Math.max(0, untilMs - nowMs) },
    }));
  }

  /**
   * Sends an edited text in mode `try`.
   *
   * @throws Fault `failed-precondition` when the node has another configuration than `over`; others when the node refuses the text
   */
  async start(
    node: NodeClient,
    { text, over, seconds }: WantedTrial,
    signal: AbortSignal,
  ): Promise<TryAnswer> {
    const { configurations, timers } = this.#init;
    const { active: before, edited } = await readEdited(configurations, node, text, signal);
    if (configurations.shown(before.documents).version !== over) {
      throw new Fault(
        'failed-precondition',
        `the configuration of ${node.name} has changed meanwhile: nothing was sent`,
      );
    }
    const timeout = BigInt(seconds) * 1_000_000_000n;
    await applyConfiguration(node, edited.text, { mode: 'try', timeout, dryRun: false }, signal);
    const untilMs = timers.monotonicMs() + seconds * 1000;
    const { text: now, documents } = await configurations.read(node, signal).catch(() => edited);
    this.#trials.get(node.name)?.stop.abort();
    const trial: RunningTrial = {
      ...{ node, text: edited.text, before: before.text, state: 'tried', untilMs },
      // A node may answer before it has taken the text over.
      active: now === before.text ? undefined : now,
      stop: new AbortController(),
    };
    this.#trials.set(node.name, trial);
    this.#changed();
    void this.#awaitEnd(trial);
    return { tried: configurations.shown(documents) };
  }

  /** Makes the tried configuration permanent. @throws Fault when the node tries none, or refuses */
  async keep(node: NodeClient, signal: AbortSignal): Promise<void> {
    const trial = this.#trials.get(node.name);
    if (trial?.state !== 'tried') {
      throw new Fault('invalid-argument', `${node.name} does not try a configuration of this program`);
    }
    this.#set(trial, 'keeping');
    try {
      await this.#requireTried(trial, signal);
      const options = { mode: 'no-reboot', timeout: 0n, dryRun: false } as const;
      await applyConfiguration(node, trial.text, options, signal);
    } catch (error) {
      // What the node has now is for the next look to find out: the time may have run out meanwhile.
      this.#set(trial, 'tried', plainError(faultFrom(error).message));
      throw error;
    }
    trial.stop.abort();
    this.#set(trial, 'kept');
  }

  /** Forgets a trial that has ended. */
  forget(node: string): void {
    const trial = this.#trials.get(node);
    if (trial === undefined || !['kept', 'reverted', 'replaced', 'unknown'].includes(trial.state)) return;
    this.#trials.delete(node);
    this.#changed();
  }

  [Symbol.dispose](): void {
    for (const { stop } of this.#trials.values()) stop.abort();
  }

  /** A node that has another configuration than the tried one keeps that. */
  async #requireTried(trial: RunningTrial, signal: AbortSignal): Promise<void> {
    const { text } = await this.#init.configurations.read(trial.node, signal);
    const end = endOf(trial, text, false);
    if (end === undefined) return;
    const { name } = trial.node;
    const has =
      end === 'reverted' ? 'its earlier configuration again' : 'another configuration than the tried one';
    throw new Fault('failed-precondition', `${name} has ${has}: nothing was sent`);
  }

  /** Looks at the node until the trial has ended. The node may end it at any time, for example with a reboot. */
  async #awaitEnd(trial: RunningTrial): Promise<void> {
    const { timers } = this.#init;
    const { signal } = trial.stop;
    for (;;) {
      const leftMs = trial.untilMs - timers.monotonicMs();
      await pauseBy(timers, leftMs > 0 ? Math.min(leftMs, earlyLookMs) : lookMs, signal);
      if (signal.aborted) return;
      // A request to keep it is on its way, and decides.
      if (trial.state === 'keeping') continue;
      const isOver = timers.monotonicMs() >= trial.untilMs;
      if (isOver) this.#set(trial, 'reverting', trial.problem);
      const { end, problem } = await this.#look(trial, isOver);
      if (signal.aborted) return;
      // A request to keep it began during the look.
      if (this.#trials.get(trial.node.name)?.state === 'keeping') continue;
      if (end !== undefined) return this.#set(trial, end);
      if (timers.monotonicMs() > trial.untilMs + lateMs) return this.#set(trial, 'unknown', problem);
    }
  }

  async #look(trial: RunningTrial, isOver: boolean): Promise<{ end?: End; problem?: string }> {
    try {
      const timely = AbortSignal.any([trial.stop.signal, AbortSignal.timeout(answerMs)]);
      const { text } = await this.#init.configurations.read(trial.node, timely);
      const end = endOf(trial, text, isOver);
      if (end !== undefined) return { end };
      trial.active ??= text === trial.before ? undefined : text;
      return { problem: 'the tried configuration is still active' };
    } catch (error) {
      return { problem: plainError(faultFrom(error).message) };
    }
  }

  #set(trial: RunningTrial, state: Trial['state'], problem?: string): void {
    if (trial.state === state && trial.problem === problem) return;
    trial.state = state;
    trial.problem = problem;
    this.#changed();
  }

  #changed(): void {
    this.#init.onChange(this.all);
  }
}

type End = 'reverted' | 'replaced';

/**
 * How a trial has ended, by what the node has now; undefined while it may still go on.
 *
 * @param isOver whether its time has run out
 */
function endOf({ before, active }: RunningTrial, now: string, isOver: boolean): End | undefined {
  if (now === before) return active !== undefined || isOver ? 'reverted' : undefined;
  return active === undefined || now === active ? undefined : 'replaced';
}
