import { mustLendAgain, planTenure } from '../domain/virtual-address.ts';

export interface AddressLoanInit {
  /** Gives the link the address for this time. @throws Fault when it cannot get it */
  readonly lend: (lifetimeSeconds: number) => void;
  /** How long no other node can become the owner, in ms. */
  readonly leaseLeftMs: () => number;
  /** ms of a clock that nobody sets. */
  readonly monotonicMs: () => number;
}

/** The lifetime that an address has in the kernel, which ends before the lease does. */
export class AddressLoan {
  readonly #init: AddressLoanInit;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(init: AddressLoanInit) {
    this.#init = init;
  }

  /**
   * Extends the lifetime if the lease was renewed.
   *
   * @returns false when the lease is about to end; then the address must be removed
   * @throws Fault when the kernel refuses
   */
  extend(): boolean {
    const { lend, leaseLeftMs, monotonicMs } = this.#init;
    for (;;) {
      const nowMs = monotonicMs();
      const step = planTenure({
        leaseLeftMs: leaseLeftMs(),
        lentMs: Math.max(0, this.#untilMs - nowMs),
      });
      if (step.kind === 'end') return false;
      if (step.kind === 'wait') return true;
      lend(step.lifetimeSeconds);
      // After a slow call, the kernel has counted from a later moment than this function: it is asked again.
      const isLate = mustLendAgain(monotonicMs() - nowMs);
      this.#untilMs = isLate ? Number.NEGATIVE_INFINITY : nowMs + step.lifetimeSeconds * 1000;
      if (!isLate) return true;
    }
  }
}
