import { createHash } from 'node:crypto';
import { isRenewalDue, renewalDelayMs } from '../domain/certificate-renewal.ts';

/**
 * What a controller remembers of the certificates that it has made: from what, and when. They are made anew when what
 * they were made from is different, or after half of their life; a pass for any other reason leaves them alone.
 * Source: Talos v1.14: refresh timing.
 */
export class IssuedCertificates {
  #inputs: string | undefined;
  #issuedAtMs = 0;

  /** `inputs`: all that goes into them, as plain data. */
  isCurrent(inputs: unknown, nowMs: number): boolean {
    return this.#inputs === keyOfInputs(inputs) && !isRenewalDue(this.#issuedAtMs, nowMs);
  }

  get hasAny(): boolean {
    return this.#inputs !== undefined;
  }

  remember(inputs: unknown, issuedAtMs: number): void {
    this.#inputs = keyOfInputs(inputs);
    this.#issuedAtMs = issuedAtMs;
  }

  forget(): void {
    this.#inputs = undefined;
  }

  /** When those that are current are to be looked at again, in ms from now. */
  delayMs(nowMs: number): number {
    return renewalDelayMs(this.#issuedAtMs, nowMs);
  }
}

/** What certificates were made from, as a text to compare. There are keys among the inputs: they are not kept. */
export const keyOfInputs = (inputs: unknown) =>
  createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
