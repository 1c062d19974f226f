import type { Timers } from '@nodewright/async';
import {
  dueMsOf,
  type Inet6ClientEffect,
  type Inet6ClientEvent,
  type Inet6ClientSettings,
  type Inet6ClientState,
  type Inet6Grant,
  isInet6Listening,
  newInet6Client,
  stepInet6Client,
} from '@nodewright/dhcp';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { WireLink } from './dhcp-wire.ts';
import type { Dhcp6Wire, OpenDhcp6Wire } from './dhcp6-wire.ts';
import { LimitedLines } from './limited-lines.ts';
import { UsedLease } from './used-lease.ts';

export interface Dhcp6LinkInit {
  readonly link: WireLink;
  readonly settings: Inet6ClientSettings;
  readonly openWire: OpenDhcp6Wire;
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** The lease, or what is known of servers, has changed. */
  readonly onChange: () => void;
}

/** How long a client without an address waits before that is a problem. */
const patienceMs = 15_000;
/** Lines about servers, and about addresses that the link gets and loses: a hostile server causes as many as it likes. */
const notes = { most: 10, eachMs: 60_000 };
const addressLines = { most: 10, eachMs: 600_000 };

/** The client of DHCP for IPv6 of one link: it carries out what the state machine says. Ends when it is disposed of, and leaves the lease. */
export class Dhcp6Link implements Disposable {
  readonly #init: Dhcp6LinkInit;
  readonly #wire: Dhcp6Wire;
  readonly #notes: LimitedLines;
  readonly #addressLines: LimitedLines;
  #state: Inet6ClientState = newInet6Client();
  readonly #used: UsedLease<Inet6Grant>;
  #timer: Disposable | undefined;
  #patience: Disposable | undefined;
  #hasWaited = false;
  #isOpen = true;
  /** What failed last. */
  #failure: string | undefined;

  constructor(init: Dhcp6LinkInit) {
    this.#init = init;
    const { timers, log, link } = init;
    this.#used = new UsedLease(init);
    this.#notes = new LimitedLines(timers, notes);
    this.#addressLines = new LimitedLines(timers, addressLines, () =>
      log.warn({ link: link.name }, 'the address from DHCP for IPv6 changes more often than is logged'),
    );
    this.#wire = init.openWire(link, {
      onMessage: (message) => this.#step({ kind: 'message', message }),
      onError: (error) => this.#failed(error),
    });
  }

  get link(): WireLink {
    return this.#init.link;
  }

  /** What the link has now; undefined without a lease. */
  grant(): Inet6Grant | undefined {
    return this.#used.current;
  }

  /** Why the link has no address; undefined while it has one, and at the beginning. */
  problem(): string | undefined {
    if (!this.#hasWaited || this.#state.lease !== undefined) return undefined;
    const reason =
      this.#state.phase === 'down'
        ? 'the link has no carrier'
        : (this.#failure ?? 'no server has given an address');
    return `DHCP for IPv6 on ${this.#init.link.name}: ${reason}`;
  }

  setUp(isUp: boolean): void {
    this.#patience ??= this.#init.timers.after(patienceMs, () => {
      this.#hasWaited = true;
      this.#init.onChange();
    });
    this.#step({ kind: isUp ? 'link-up' : 'link-down' });
  }

  /** The kernel has found that another host has the address. */
  addressInUse(address: string): void {
    this.#step({ kind: 'address-in-use', address });
  }

  [Symbol.dispose](): void {
    this.#isOpen = false;
    this.#timer?.[Symbol.dispose]();
    this.#used[Symbol.dispose]();
    this.#patience?.[Symbol.dispose]();
    this.#wire[Symbol.dispose]();
  }

  #step(event: Inet6ClientEvent): void {
    if (!this.#isOpen) return;
    const { settings, timers, random, onChange } = this.#init;
    const before = { problem: this.problem(), grant: this.#used.current };
    const facts = { settings, nowMs: timers.monotonicMs(), random };
    const { state, effects } = stepInet6Client(this.#state, event, facts);
    this.#state = state;
    // Before anything is sent, so that no reply is missed.
    this.#attempt(() => this.#wire.listen(isInet6Listening(state)));
    for (const effect of effects) this.#carryOut(effect);
    this.#timer?.[Symbol.dispose]();
    const dueMs = dueMsOf(state);
    this.#timer =
      dueMs === undefined
        ? undefined
        : timers.after(dueMs - timers.monotonicMs(), () => this.#step({ kind: 'timer' }));
    if (this.#used.current !== before.grant || this.problem() !== before.problem) onChange();
  }

  #carryOut(effect: Inet6ClientEffect) {
    const { log, link } = this.#init;
    switch (effect.kind) {
      case 'send':
        // What cannot be sent is sent again by the state machine, like a message without an answer.
        return this.#attempt(() => this.#wire.send(effect.message));
      case 'gained': {
        this.#used.take(effect.lease.grant, effect.isNew);
        if (!effect.isNew) return;
        const { address, validSeconds } = effect.lease.grant;
        return this.#addressLines.write(() =>
          log.info({ link: link.name, address, validSeconds }, 'the link got an address by DHCP for IPv6'),
        );
      }
      case 'lost': {
        this.#used.drop();
        const { address, reason } = effect;
        return this.#addressLines.write(() =>
          log.warn({ link: link.name, address, reason }, 'the link has lost its address from DHCP for IPv6'),
        );
      }
      case 'note':
        return this.#notes.write(() => log.warn({ link: link.name, reason: effect.text }, 'DHCP for IPv6'));
    }
  }

  #attempt(work: () => void): void {
    try {
      work();
      this.#failure = undefined;
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const { message } = faultFrom(error);
    if (this.#failure === message) return;
    this.#failure = message;
    const { log, link } = this.#init;
    // While the kernel checks the first address of the link, nothing can be sent.
    this.#notes.write(() => log.debug({ link: link.name, error: message }, 'DHCP for IPv6'));
  }
}
