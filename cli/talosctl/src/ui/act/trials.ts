import { pause } from '@nodewright/async';
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
  /** The active configuration while the node tries the text. */
  readonly active: string;
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
  readonly now: () => Date;
  /** Called when a trial began, changed or ended. */
  readonly onChange: (trials: readonly Trial[]) => void;
}

/** Between two looks at a node whose trial should be over. */
const lookMs = 1000;
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
    const nowMs = this.#init.now().getTime();
    return [...this.#trials.values()].map(({ node, state, untilMs, problem }) => ({
      ...{ node: node.name, state, problem, leftMs: Math.max(0, untilMs - nowMs) },
    }));
  }

  /**
   * Sends an edited text in mode `try`.
   *
   * @throws Fault `failed-precondition` when the node has another one, which the user has not seen; others when the node refuses it
   */
  async start(
    node: NodeClient,
    { text, over, seconds }: WantedTrial,
    signal: AbortSignal,
  ): Promise<TryAnswer> {
    const { configurations, now } = this.#init;
    const { active: before, edited } = await readEdited(configurations, node, text, signal);
    if (configurations.shown(before.documents).version !== over) {
      throw new Fault(
        'failed-precondition',
        `the configuration of ${node.name} has changed meanwhile: nothing was sent`,
      );
    }
    const timeout = BigInt(seconds) * 1_000_000_000n;
    await applyConfiguration(node, edited.text, { mode: 'try', timeout, dryRun: false }, signal);
    const untilMs = now().getTime() + seconds * 1000;
    const { text: active, documents } = await configurations.read(node, signal).catch(() => edited);
    this.#trials.get(node.name)?.stop.abort();
    const stop = new AbortController();
    const trial: RunningTrial = { node, text: edited.text, active, state: 'tried', stop, untilMs };
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
      const options = { mode: 'no-reboot', timeout: 0n, dryRun: false } as const;
      await applyConfiguration(node, trial.text, options, signal);
    } catch (error) {
      // The time may have run out meanwhile.
      this.#set(trial, 'tried', plainError(faultFrom(error).message));
      throw error;
    }
    trial.stop.abort();
    this.#set(trial, 'kept');
  }

  /** Forgets a trial that has ended. */
  forget(node: string): void {
    const trial = this.#trials.get(node);
    if (trial === undefined || !['kept', 'reverted', 'unknown'].includes(trial.state)) return;
    this.#trials.delete(node);
    this.#changed();
  }

  [Symbol.dispose](): void {
    for (const { stop } of this.#trials.values()) stop.abort();
  }

  async #awaitEnd(trial: RunningTrial): Promise<void> {
    const { now, configurations } = this.#init;
    const { signal } = trial.stop;
    await pause(Math.max(0, trial.untilMs - now().getTime()), signal);
    let problem: string | undefined;
    while (!signal.aborted) {
      // A request to keep it may still be on its way, and decides.
      if (trial.state !== 'keeping') this.#set(trial, 'reverting');
      try {
        const timely = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
        const { text } = await configurations.read(trial.node, timely);
        if (signal.aborted) return;
        if (text !== trial.active) return this.#set(trial, 'reverted');
        problem = 'the tried configuration is still active';
      } catch (error) {
        problem = plainError(faultFrom(error).message);
      }
      if (!signal.aborted && now().getTime() > trial.untilMs + lateMs)
        return this.#set(trial, 'unknown', problem);
      await pause(lookMs, signal);
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
