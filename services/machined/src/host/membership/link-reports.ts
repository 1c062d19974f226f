import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';

/** Says when a link comes and goes, once each: attempts that fail as the last one did are no news. */
export class LinkReports {
  readonly #log: Logger;
  readonly #via: string;
  #told = '';

  constructor(log: Logger, via: string) {
    this.#log = log;
    this.#via = via;
  }

  isUp(facts: Readonly<Record<string, unknown>> = {}): void {
    if (this.#told === 'up') return;
    this.#told = 'up';
    this.#log.info({ via: this.#via, ...facts }, 'membership of the cluster is followed');
  }

  failed(error: unknown): void {
    const { message } = faultFrom(error);
    // Before there is a cluster nothing is lost.
    const level = this.#told === '' ? 'info' : 'warn';
    if (this.#told === message) return;
    this.#told = message;
    this.#log[level]({ via: this.#via, error: message }, 'membership of the cluster cannot be followed');
  }
}
