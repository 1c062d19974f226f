import { pauseBy, type Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { State } from '@nodewright/state';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { Access } from './access.ts';
import type { Activity } from './activity.ts';
import { BackOff, longestBackOffMs } from './back-off.ts';
import { Causes } from './causes.ts';
import type { Controller, Input } from './controller.ts';
import { ControllerInputs } from './controller-inputs.ts';
import { ControllerPass } from './controller-pass.ts';
import type { Sleeper } from './kind-watch.ts';
import type { KindWatches } from './kind-watches.ts';
import { OpenedSource } from './opened-source.ts';
import type { TurnShare } from './turn-share.ts';

export interface ControllerLoopInit {
  readonly controller: Controller;
  readonly state: State;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly timers: Timers;
  readonly random: () => number;
  readonly watches: KindWatches;
  readonly turns: TurnShare;
  readonly activity: Activity;
  /** Ends the loop. */
  readonly signal: AbortSignal;
}

/**
 * Runs one controller: a pass, then sleep until something wakes it. Any number of wake-ups during a pass
 * cause one more pass, because each pass reads everything again. Source: Talos v1.14: COSI reconcile loop.
 */
export class ControllerLoop implements Sleeper {
  readonly controller: Controller;
  readonly #init: ControllerLoopInit;
  readonly #log: Logger;
  readonly #inputs: ControllerInputs;
  readonly #access: Access;
  readonly #passBackOff: BackOff;
  readonly #sourceBackOff: BackOff;
  readonly #causes = new Causes();
  #source: OpenedSource | undefined;
  /** The first pass is due from the beginning. */
  #isDue = true;
  #isPaused = false;
  #rouse: (() => void) | undefined;
  #stopPass: AbortController | undefined;
  /** The time is that of the monotonic clock. */
  #alarm: { readonly dueMs: number; readonly timer: Disposable } | undefined;

  constructor(init: ControllerLoopInit) {
    const { controller, random, watches } = init;
    const { name, outputs } = controller;
    this.controller = controller;
    this.#init = init;
    this.#log = init.log.child({ controller: name });
    this.#inputs = new ControllerInputs({ name, inputs: controller.inputs, watches, sleeper: this });
    const inputs = () => this.#inputs.current;
    this.#access = new Access({ name, inputs, outputs });
    this.#passBackOff = new BackOff(random);
    this.#sourceBackOff = new BackOff(random);
  }

  /** The inputs at this moment. */
  get inputs(): readonly Input[] {
    return this.#inputs.current;
  }

  wake(traceparent?: string): void {
    this.#causes.add(traceparent);
    this.#isDue = true;
    if (!this.#isPaused) this.#init.activity.set(this, !this.#init.signal.aborted);
    this.#rouse?.();
  }

  /**
   * Resolves when the loop has ended and everything that the controller opened is closed.
   *
   * @param cause traceparent of the span that the first pass belongs to.
   */
  async run(cause: string | undefined): Promise<void> {
    const { signal, activity } = this.#init;
    this.#causes.add(cause);
    activity.set(this, true);
    const abort = () => {
      this.#stopPass?.abort();
      this.#rouse?.();
    };
    // Once for the loop, not for every pass: all loops listen to this signal, and adding or removing a
    // listener takes time that grows with their number.
    signal.addEventListener('abort', abort);
    try {
      // From here on changes are watched; the first pass reads the state before.
      await this.#inputs.watch();
      while (!signal.aborted) {
        if (this.#isDue) await this.#cycle();
        else await this.#sleep();
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#alarm?.timer[Symbol.dispose]();
      await this.#closeSource();
      activity.set(this, false);
    }
  }

  async #sleep(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#rouse = resolve;
    this.#init.activity.set(this, false);
    await promise;
    this.#rouse = undefined;
  }

  /** Opens the source if it is not open, makes a pass, and pauses after a failure. It catches every error. */
  async #cycle(): Promise<void> {
    try {
      await this.#openSource();
    } catch (error) {
      await this.#rest(error, this.#sourceBackOff, 'controller cannot watch what it needs');
      return;
    }
    const turn = this.#init.turns.start();
    if (turn !== undefined) await turn;
    // It may have failed while it was opened, or while the pass waited: the pass is still due after the next opening.
    if (this.#source?.failure !== undefined) return;
    try {
      await this.#pass();
      this.#passBackOff.reset();
    } catch (error) {
      this.#isDue = true;
      await this.#rest(error, this.#passBackOff, 'controller failed');
    }
  }

  /** @throws the error that broke the source or its opening */
  async #openSource(): Promise<void> {
    const { controller, timers, signal } = this.#init;
    const broken = this.#source?.failure;
    if (broken !== undefined) {
      if (this.#source !== undefined && this.#source.ageMs >= longestBackOffMs) this.#sourceBackOff.reset();
      await this.#closeSource();
      throw broken.error;
    }
    if (controller.open === undefined || this.#source !== undefined) return;
    const wake = () => this.wake();
    const monotonicMs = () => timers.monotonicMs();
    this.#source = await OpenedSource.open({ controller, log: this.#log, wake, monotonicMs, signal });
  }

  async #closeSource(): Promise<void> {
    const source = this.#source;
    this.#source = undefined;
    try {
      await source?.[Symbol.asyncDispose]();
    } catch (error) {
      this.#log.error(
        { error: faultFrom(error).message },
        'what the controller had opened did not close well',
      );
    }
  }

  async #pass(): Promise<void> {
    const { controller, state, telemetry, timers, turns, signal } = this.#init;
    const causes = this.#causes.take();
    this.#isDue = false;
    const stop = new AbortController();
    if (signal.aborted) stop.abort();
    this.#stopPass = stop;
    const pass = new ControllerPass({
      name: controller.name,
      state,
      access: this.#access,
      signal: stop.signal,
      turns,
      log: this.#log,
      now: () => timers.now(),
      monotonicMs: () => timers.monotonicMs(),
      setInputs: (inputs) => this.#inputs.replace(inputs),
      wakeAfter: (delayMs) => this.#wakeAfter(delayMs),
    });
    const span = telemetry.startSpan('reconcile', {
      parent: causes[0],
      links: causes,
      attributes: { 'nodewright.controller.name': controller.name },
    });
    try {
      await telemetry.withSpan(span, async () => controller.reconcile(pass));
    } catch (error) {
      this.#causes.putBack(causes);
      if (!signal.aborted) span.fail(error);
      throw error;
    } finally {
      pass.end();
      span.end();
      this.#stopPass = undefined;
    }
  }

  #wakeAfter(delayMs: number): void {
    const { timers, signal } = this.#init;
    const dueMs = timers.monotonicMs() + delayMs;
    if (signal.aborted || (this.#alarm !== undefined && this.#alarm.dueMs <= dueMs)) return;
    this.#alarm?.timer[Symbol.dispose]();
    const timer = timers.after(delayMs, () => {
      this.#alarm = undefined;
      this.wake();
    });
    this.#alarm = { dueMs, timer };
  }

  /** The pause after a failure. Wake-ups during the pause take effect at its end. */
  async #rest(error: unknown, backOff: BackOff, message: string): Promise<void> {
    const { timers, activity, signal } = this.#init;
    if (signal.aborted) return;
    const retryMs = backOff.next();
    this.#log.error({ error: faultFrom(error).message, retryMs }, message);
    this.#isPaused = true;
    activity.set(this, false);
    await pauseBy(timers, retryMs, signal);
    this.#isPaused = false;
    activity.set(this, !signal.aborted);
  }
}
