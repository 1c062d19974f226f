import type { Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';
import type { ConfigurationKeeper } from './configuration-keeper.ts';

/** The pauses of a long trial: timers of the host take no more than 24 days at a time. */
const longestPauseMs = 86_400_000;

interface Trial {
  readonly tried: DecodedConfiguration;
  /** Undefined on a node in maintenance that had nothing. */
  readonly before: DecodedConfiguration | undefined;
  readonly timer: Disposable;
}

/**
 * A configuration in force that is not stored: it is taken back after its time, or by the next start of the node,
 * unless somebody keeps it. Trying another one meanwhile starts the time again; what is taken back to stays.
 * Source: Talos v1.14: ApplyConfiguration, TRY.
 */
export class ConfigurationTrial implements Disposable {
  readonly #keeper: Pick<ConfigurationKeeper, 'active' | 'activate'>;
  readonly #timers: Timers;
  readonly #log: Logger;
  #running: Trial | undefined;

  constructor(keeper: Pick<ConfigurationKeeper, 'active' | 'activate'>, timers: Timers, log: Logger) {
    this.#keeper = keeper;
    this.#timers = timers;
    this.#log = log;
  }

  /** Puts a configuration in force for so long. */
  async start(tried: DecodedConfiguration, forNs: bigint): Promise<void> {
    const before = this.#running === undefined ? this.#keeper.active() : this.#running.before;
    this.#running?.timer[Symbol.dispose]();
    await this.#keeper.activate(tried);
    this.#arm({ tried, before }, this.#timers.now() + Number(forNs / 1_000_000n));
  }

  /** Nothing is taken back any more. */
  keep(): void {
    this.#running?.timer[Symbol.dispose]();
    this.#running = undefined;
  }

  [Symbol.dispose](): void {
    this.keep();
  }

  #arm(trial: Omit<Trial, 'timer'>, untilMs: number): void {
    const leftMs = untilMs - this.#timers.now();
    const timer =
      leftMs > longestPauseMs
        ? this.#timers.after(longestPauseMs, () => this.#arm(trial, untilMs))
        : this.#timers.after(leftMs, () => this.#takeBack(trial));
    this.#running = { ...trial, timer };
  }

  #takeBack({ tried, before }: Omit<Trial, 'timer'>): void {
    this.#running = undefined;
    // A stored configuration that was damaged has been mended meanwhile: the node has left maintenance with it.
    if (this.#keeper.active() !== tried) return;
    this.#keeper.activate(before).then(
      () => this.#log.info({}, 'the machine configuration that was tried is taken back'),
      (error: unknown) => {
        this.#log.error({ error: faultFrom(error).message }, 'a tried configuration cannot be taken back');
      },
    );
  }
}
