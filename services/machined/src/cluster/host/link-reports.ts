import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';

/** Says when a link comes, and why it goes: each reason once until it is there again. */
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
    this.#log.info({ via: this.#via, ...facts }, 'membership of the cluster is followed');
  }

  failed(error: unknown): void {
    const { message } = faultFrom(error);
    this.#isUp = false;
    if (this.#reasons.has(message)) return;
    this.#reasons.add(message);
    // Before there is a cluster nothing is lost.
    const level = this.#wasUp ? 'warn' : 'info';
    this.#log[level]({ via: this.#via, error: message }, 'membership of the cluster cannot be followed');
  }
}
