import type { Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';
import type { ConfigurationKeeper } from './configuration-keeper.ts';

/**
 * The longest single timer of a trial: a Node.js timer cannot exceed about 24 days, so a longer trial sets
 * several.
 */
const longestPauseMs = 86_400_000;

interface Trial {
  readonly tried: DecodedConfiguration;
  /** The configuration that was active before the trial; `undefined` when the node had none. */
  readonly before: DecodedConfiguration | undefined;
  /** When it ends, on the monotonic clock. */
  readonly untilMs: number;
  readonly timer: Disposable;
}

/**
 * A trial makes a configuration active without storing it. The previous one returns when the time is over or
 * the node restarts, unless `keep()` ends the trial first. Another trial meanwhile restarts the time but does
 * not change the configuration that returns. Source: Talos v1.14: ApplyConfiguration, TRY.
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

  /** Makes a configuration active for `forNs` nanoseconds. */
  async start(tried: DecodedConfiguration, forNs: bigint): Promise<void> {
    const before = this.#running === undefined ? this.#keeper.active() : this.#running.before;
    this.#running?.timer[Symbol.dispose]();
    await this.#keeper.activate(tried);
    this.#arm({ tried, before, untilMs: this.#timers.monotonicMs() + Number(forNs / 1_000_000n) });
  }

  /**
   * Keeps the previous configuration from returning while another one is applied. After that the trial goes on, and ends when it would
   * have ended, unless it was kept or another one was started meanwhile.
   */
  pause(): Disposable {
    const paused = this.#running;
    paused?.timer[Symbol.dispose]();
    return {
      [Symbol.dispose]: () => {
        if (paused !== undefined && this.#running === paused) this.#arm(paused);
      },
    };
  }

  /** Ends the trial: the tried configuration stays active. */
  keep(): void {
    this.#running?.timer[Symbol.dispose]();
    this.#running = undefined;
  }

  [Symbol.dispose](): void {
    this.keep();
  }

  #arm({ tried, before, untilMs }: Omit<Trial, 'timer'>): void {
    const trial = { tried, before, untilMs };
    const leftMs = Math.max(untilMs - this.#timers.monotonicMs(), 0);
    const timer =
      leftMs > longestPauseMs
        ? this.#timers.after(longestPauseMs, () => this.#arm(trial))
        : this.#timers.after(leftMs, () => this.#revert(trial));
    this.#running = { ...trial, timer };
  }

  #revert({ tried, before }: Pick<Trial, 'tried' | 'before'>): void {
    this.#running = undefined;
    // Another configuration became active meanwhile: a damaged stored file was repaired and ended
    // maintenance.
    if (this.#keeper.active() !== tried) return;
    this.#keeper.activate(before).then(
      () =>
        this.#log.info({}, 'the trial of a machine configuration ended: the previous one is active again'),
      (error: unknown) => {
        this.#log.error({ error: faultFrom(error).message }, 'cannot revert a tried machine configuration');
      },
    );
  }
}
