import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { isRenewalDue } from '../domain/certificate-renewal.ts';
import { backoffMs } from '../domain/retry-schedule.ts';
import type { Identity } from '../domain/runtime-files.ts';
import type { MembershipSource } from '../host/membership-file.ts';
import { pause } from '../host/pause.ts';

export interface IdentityKeeperInit {
  /** Gets new keys and certificates; rejects when it cannot, or when `signal` aborts. */
  readonly obtain: (signal: AbortSignal) => Promise<Identity>;
  /** Hands them, with the membership of this moment, to the daemons. Repeating it with the same is no change. */
  readonly publish: (identity: Identity) => Promise<void>;
  readonly members: MembershipSource;
  /** Unix ms. */
  readonly now: () => number;
  readonly log: Logger;
  /** Called after each time that certificates were obtained. */
  readonly onIssued: () => void;
  /** Called after each time that the daemons were told. */
  readonly onPublished: () => void;
  /** How often it looks whether a renewal is due; default 30 s. */
  readonly checkIntervalMs?: number;
}

/**
 * Keeps the node's certificates fresh and what the daemons know of the cluster true, from its start until it is
 * disposed. A failure is tried again with growing pauses while the old certificates stay in use.
 */
export class IdentityKeeper implements AsyncDisposable {
  readonly #init: IdentityKeeperInit;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #identity: Identity | undefined;
  #issuedAtMs = 0;

  constructor(init: IdentityKeeperInit) {
    this.#init = init;
    this.#ended = this.#run(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { members, checkIntervalMs = 30_000 } = this.#init;
    let failures = 0;
    while (!signal.aborted) {
      const turn = new AbortController();
      const turnSignal = AbortSignal.any([signal, turn.signal]);
      // Waited for from the beginning of a turn: a change in its middle ends it, and the next one sees what is new.
      const changed = members.nextChange(turnSignal).then(() => turn.abort());
      try {
        await this.#work(turnSignal);
        failures = 0;
        await Promise.race([changed, pause(checkIntervalMs, turnSignal)]);
      } catch (error) {
        if (!turnSignal.aborted) {
          failures++;
          this.#reportFailure(error, failures);
          await pause(backoffMs(failures), turnSignal);
        }
      } finally {
        turn.abort();
      }
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { obtain, publish, now, log, onIssued, onPublished } = this.#init;
    if (this.#identity !== undefined) await publish(this.#identity);
    if (this.#identity === undefined || isRenewalDue(this.#issuedAtMs, now())) {
      const startedAtMs = now();
      this.#identity = await obtain(signal);
      this.#issuedAtMs = startedAtMs;
      log.info({ acceptedCAs: this.#identity.acceptedCAs.length }, 'certificates issued');
      onIssued();
      await publish(this.#identity);
    }
    onPublished();
  }

  #reportFailure(error: unknown, failures: number): void {
    const { kind, message } = faultFrom(error);
    const retryMs = Math.round(backoffMs(failures));
    this.#init.log.error({ kind, error: message, failures, retryMs }, 'certificates could not be renewed');
  }
}
