import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';

/** Logs when a link is connected, and why it failed: each reason once until the link is connected again. */
export class LinkReports {
  readonly #log: Logger;
  readonly #via: string;
  #isUp = false;
  #wasUp = false;
  readonly #reasons = new Set<string>();

  constructor(log: Logger, via: string) {
    this.#log = log;
    this.#via = via;
  }

  isUp(facts: Readonly<Record<string, unknown>> = {}): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#wasUp = true;
    this.#reasons.clear();
    this.#log.info({ via: this.#via, ...facts }, 'connected to the records of the cluster');
  }

  failed(error: unknown): void {
    const { message } = faultFrom(error);
    this.#isUp = false;
    if (this.#reasons.has(message)) return;
    this.#reasons.add(message);
    // Before the first connection a failure is expected: the cluster may not exist yet.
    const level = this.#wasUp ? 'warn' : 'info';
    this.#log[level]({ via: this.#via, error: message }, 'not connected to the records of the cluster');
  }
}
