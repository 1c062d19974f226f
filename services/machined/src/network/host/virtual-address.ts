import { anySignal, pauseBy, type Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { Attributes, Logger, Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';
import {
  announcementCount,
  electionRetryMs,
  tenureTickMs,
  type VirtualAddressId,
} from '../domain/virtual-address.ts';
import { AddressLoan } from './address-loan.ts';
import { partFromLeader, type YieldLeadership } from './part-from-leader.ts';

/** The time in which this node is the owner of a virtual address, as etcd sees it. */
export interface Tenure {
  /** Aborts when another node may be the owner; then the address must go at once. */
  readonly signal: AbortSignal;
  /** How long no other node can become the owner, in ms. It counts also while this process stands still. */
  leftMs(): number;
  /** Hands the address over: another node may take it immediately. It never fails, and takes some seconds at most. */
  resign(): Promise<void>;
  /** Stops renewing, so that another node becomes the owner when `leftMs()` is over. It never fails. */
  abandon(): Promise<void>;
}

/**
 * Waits until this node is the owner of an address. It may wait for ever.
 *
 * @throws Fault when etcd cannot be asked, or `signal` aborts
 */
export type Campaign = (ip: string, signal: AbortSignal) => Promise<Tenure>;

/** An address and the link that gets it. The calls return when the kernel has done it. */
export interface BorrowedAddress {
  /** The link has the address for this time from now on. @throws Fault when it cannot get it */
  lend(lifetimeSeconds: number): void;
  /** @throws Fault when the link may still have the address */
  remove(): void;
  /** Tells the network of the link where the address is now. @throws Fault */
  announce(): void;
}

export interface VirtualAddressInit extends VirtualAddressId {
  readonly campaign: Campaign;
  readonly openAddress: (id: VirtualAddressId) => Promise<BorrowedAddress>;
  readonly yieldLeadership: YieldLeadership;
  /** This node has the address, or has it no more. */
  readonly onChange: () => void;
  readonly timers: Timers;
  /** ms of a clock that nobody sets. */
  readonly monotonicMs: () => number;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/**
 * One virtual address for which this node competes, until it is disposed of. The address is removed from the link before another
 * node may take it: before the key in etcd is deleted, and by the kernel itself before the lease of the key can end.
 */
export class VirtualAddress implements AsyncDisposable {
  readonly #init: VirtualAddressInit;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #isOwned = false;
  #problem: string | undefined;

  constructor(init: VirtualAddressInit) {
    this.#init = init;
    this.#ended = this.#compete();
  }

  get isOwned(): boolean {
    return this.#isOwned;
  }

  /** @param reason why this node gives up the address, for its log */
  async stop(reason: string): Promise<void> {
    this.#stop.abort(reason);
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('this node ends');
  }

  async #compete(): Promise<void> {
    const { ip, linkName, campaign, openAddress, timers } = this.#init;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const address = await openAddress({ ip, linkName });
        // What a machined that died has left, before this one waits for its turn.
        address.remove();
        const tenure = await campaign(ip, signal);
        await this.#own(address, tenure);
        this.#problem = undefined;
      } catch (error) {
        if (!signal.aborted) this.#report(faultFrom(error).message);
      }
      await pauseBy(timers, electionRetryMs, signal);
    }
  }

  async #own(address: BorrowedAddress, tenure: Tenure): Promise<void> {
    const { ip, linkName, telemetry } = this.#init;
    const attributes = {
      'nodewright.network.virtual_address': ip,
      'nodewright.network.link': linkName,
    };
    let failure: unknown;
    let reason = '';
    try {
      reason = await this.#keep(address, tenure, attributes);
    } catch (error) {
      failure = error;
      reason = faultFrom(error).message;
    }
    await inSpan(telemetry, 'release virtual address', () => this.#release(address, tenure, reason), {
      attributes,
    });
    if (failure !== undefined) throw failure;
  }

  async #release(address: BorrowedAddress, tenure: Tenure, reason: string): Promise<void> {
    const { ip, linkName, log } = this.#init;
    const wasOwned = this.#isOwned;
    try {
      address.remove();
    } catch (error) {
      // Another node must not take it before the kernel has removed it, at the end of its lifetime.
      log.error({ ip, linkName, error: faultFrom(error).message }, 'the virtual address is not removed');
      await tenure.abandon();
      return;
    } finally {
      this.#setOwned(false);
    }
    if (wasOwned) log.info({ ip, linkName, reason }, 'released the virtual address');
    await tenure.resign();
  }

  /** @returns why the tenure ends */
  async #keep(address: BorrowedAddress, tenure: Tenure, attributes: Attributes): Promise<string> {
    const { ip, linkName, timers, monotonicMs, log, telemetry } = this.#init;
    const { signal: stop } = this.#stop;
    const ending = anySignal(stop, tenure.signal);
    const loan = new AddressLoan({
      lend: (lifetimeSeconds) => address.lend(lifetimeSeconds),
      leaseLeftMs: () => tenure.leftMs(),
      monotonicMs,
    });
    const take = async () => {
      if (stop.aborted || !loan.extend()) return;
      this.#setOwned(true);
      log.info({ ip, linkName }, 'took the virtual address');
    };
    await inSpan(telemetry, 'take virtual address', take, { attributes });
    // It may wait for etcd, which must not delay the removal of the address.
    void partFromLeader(this.#init, ending);
    for (let tick = 0; ; tick += 1) {
      if (stop.aborted) return String(stop.reason);
      if (tenure.signal.aborted) return faultFrom(tenure.signal.reason).message;
      if (!loan.extend()) return 'etcd did not renew its lease in time';
      if (tick < announcementCount) this.#announce(address);
      await pauseBy(timers, tenureTickMs, ending);
    }
  }

  #announce(address: BorrowedAddress): void {
    try {
      address.announce();
    } catch (error) {
      const { ip, linkName, log } = this.#init;
      const { message } = faultFrom(error);
      log.warn({ ip, linkName, error: message }, 'the virtual address could not be announced');
    }
  }

  #setOwned(isOwned: boolean): void {
    if (this.#isOwned === isOwned) return;
    this.#isOwned = isOwned;
    this.#init.onChange();
  }

  /** Attempts follow each other every second, so each problem is logged once. */
  #report(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    const { ip, linkName, log } = this.#init;
    log.warn({ ip, linkName, error: problem }, 'cannot compete for the virtual address, and tries again');
  }
}
