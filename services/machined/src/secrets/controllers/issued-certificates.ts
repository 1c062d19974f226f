import { createHash } from 'node:crypto';
import { isRenewalDue, renewalDelayMs, renewalPeriodMs } from '../domain/certificate-renewal.ts';

/**
 * Remembers when certificates were issued, and from which inputs. They are issued again when an input
 * changes, or after half of their lifetime; other passes keep them. Source: Talos v1.14: refresh timing.
 */
export class IssuedCertificates {
  readonly #usualPeriodMs: number;
  #periodMs: number;
  #inputs: string | undefined;
  #issuedAtMs = 0;

  /** @param periodMs half of the lifetime of the certificates; by default that of the API's */
  constructor(periodMs = renewalPeriodMs) {
    this.#usualPeriodMs = periodMs;
    this.#periodMs = periodMs;
  }

  /**
   * Whether the certificates need no renewal.
   *
   * @param inputs everything that they are issued from, as plain data
   */
  isCurrent(inputs: unknown, nowMs: number): boolean {
    return this.#inputs === keyOfInputs(inputs) && !isRenewalDue(this.#issuedAtMs, nowMs, this.#periodMs);
  }

  get hasAny(): boolean {
    return this.#inputs !== undefined;
  }

  /** @param periodMs how long these certificates need no renewal, if that is not as usual */
  remember(inputs: unknown, issuedAtMs: number, periodMs = this.#usualPeriodMs): void {
    this.#inputs = keyOfInputs(inputs);
    this.#issuedAtMs = issuedAtMs;
    this.#periodMs = periodMs;
  }

  forget(): void {
    this.#inputs = undefined;
  }

  /** When to check the current certificates again, in ms from now. */
  delayMs(nowMs: number): number {
    return renewalDelayMs(this.#issuedAtMs, nowMs, this.#periodMs);
  }
}

/**
 * A hash of the inputs of certificates, for comparison. The inputs contain keys, so they are not stored
 * themselves.
 */
export const keyOfInputs = (inputs: unknown) =>
  createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
