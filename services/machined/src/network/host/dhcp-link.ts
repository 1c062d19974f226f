import type { Timers } from '@nodewright/async';
import {
  type ClientEffect,
  type ClientEvent,
  type ClientSettings,
  type ClientState,
  dueMsOf,
  isListening,
  type LeaseOffer,
  newClient,
  stepClient,
} from '@nodewright/dhcp';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { DhcpLeases } from './dhcp-leases.ts';
import type { DhcpWire, OpenDhcpWire, Reception, WireLink } from './dhcp-wire.ts';
import { LimitedLines } from './limited-lines.ts';
import { UsedLease } from './used-lease.ts';

export interface DhcpLinkInit {
  readonly link: WireLink;
  readonly settings: ClientSettings;
  readonly openWire: OpenDhcpWire;
  readonly leases: DhcpLeases;
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** The lease, or what is known of servers, has changed. */
  readonly onChange: () => void;
}

/** How long a client without an address waits before that is a problem. */
const patienceMs = 10_000;
/** Changes of the name within this time are told together. Source: Talos v1.14: network, DHCPv4. */
const renameMs = 1000;
/** Lines about servers, and about addresses that the link gets and loses: a hostile server causes as many as it likes. */
const notes = { most: 10, eachMs: 60_000 };
const addressLines = { most: 10, eachMs: 600_000 };

/** The DHCP client of one link: it carries out what the state machine says. Ends when it is disposed of, and leaves the lease. */
export class DhcpLink implements Disposable {
  readonly #init: DhcpLinkInit;
  #settings: ClientSettings;
  #rename: Disposable | undefined;
  /** In the last message. */
  #sentName: string | undefined;
  readonly #wire: DhcpWire;
  readonly #used: UsedLease<LeaseOffer>;
  readonly #notes: LimitedLines;
  readonly #addressLines: LimitedLines;
  #state: ClientState;
  #timer: Disposable | undefined;
  #patience: Disposable | undefined;
  #isOpen = true;
  #hasWaited = false;
  /** What failed last, by what was attempted. */
  readonly #failures = new Map<string, string>();

  constructor(init: DhcpLinkInit) {
    this.#init = init;
    this.#settings = init.settings;
    const { link, leases, openWire, timers, log } = init;
    this.#used = new UsedLease(init);
    this.#notes = new LimitedLines(timers, notes);
    this.#addressLines = new LimitedLines(timers, addressLines, () =>
      log.warn({ link: link.name }, 'the address from DHCP changes more often than is logged'),
    );
    this.#state = newClient(leases.addressOf(link.name, link.hardware));
    this.#wire = openWire(link, {
      onMessage: (message) => this.#step({ kind: 'message', message }),
      onOwner: (address, owner) => this.#step({ kind: 'address-in-use', address, owner }),
      onError: (error) => this.#failed('nothing can be received', error),
    });
  }

  get link(): WireLink {
    return this.#init.link;
  }

  /** What the link has now; undefined without a lease. */
  lease(): LeaseOffer | undefined {
    return this.#used.current;
  }

  /** Whether the link can carry anything. */
  get hasCarrier(): boolean {
    return this.#state.phase !== 'down';
  }

  /** Why the link has no address; undefined while it has one, and at the beginning. */
  problem(): string | undefined {
    if (!this.#hasWaited || this.#state.lease !== undefined) return undefined;
    const { name } = this.#init.link;
    const [failure] = this.#failures;
    if (failure !== undefined) return `DHCP on ${name}: ${failure.join(': ')}`;
    if (this.#state.phase === 'down') return `DHCP on ${name}: the link has no carrier`;
    return `DHCP on ${name}: no server has given an address`;
  }

  setUp(isUp: boolean): void {
    // Also a link without a carrier is a problem after a while.
    this.#patience ??= this.#init.timers.after(patienceMs, () => {
      this.#hasWaited = true;
      this.#init.onChange();
    });
    this.#step({ kind: isUp ? 'link-up' : 'link-down' });
  }

  /** The name that the server is told; then it is not asked for one. */
  get toldName(): string | undefined {
    return this.#settings.hostname;
  }

  /** Tells the server another name soon. Names that change again meanwhile are not told. */
  tellName(hostname: string | undefined): void {
    if (hostname === this.#settings.hostname) return;
    const { settings } = this.#init;
    const wantsHostname = settings.wantsHostname && hostname === undefined;
    this.#settings = { ...settings, hostname, wantsHostname };
    this.#renewSoon();
  }

  #renewSoon(): void {
    this.#rename?.[Symbol.dispose]();
    this.#rename = this.#init.timers.after(renameMs, () => this.#step({ kind: 'renew' }));
  }

  [Symbol.dispose](): void {
    this.#isOpen = false;
    this.#timer?.[Symbol.dispose]();
    this.#used[Symbol.dispose]();
    this.#patience?.[Symbol.dispose]();
    this.#rename?.[Symbol.dispose]();
    this.#wire[Symbol.dispose]();
  }

  #step(event: ClientEvent): void {
    if (!this.#isOpen) return;
    const { timers, random, onChange } = this.#init;
    const before = { problem: this.problem(), lease: this.#used.current };
    const facts = { settings: this.#settings, nowMs: timers.monotonicMs(), random };
    const { state, effects } = stepClient(this.#state, event, facts);
    this.#state = state;
    // Before anything is sent, so that no reply is missed.
    this.#attempt('nothing can be received', () => this.#wire.listen(receptionOf(state)));
    let hasProbeFailed = false;
    for (const effect of effects) if (this.#carryOut(effect) === 'probe-failed') hasProbeFailed = true;
    this.#timer?.[Symbol.dispose]();
    const dueMs = dueMsOf(state);
    this.#timer =
      dueMs === undefined
        ? undefined
        : timers.after(dueMs - timers.monotonicMs(), () => this.#step({ kind: 'timer' }));
    if (this.#used.current !== before.lease || this.problem() !== before.problem) onChange();
    if (hasProbeFailed) this.#step({ kind: 'probe-failed' });
  }

  /** What the state machine has to learn of it; undefined for nothing. */
  #carryOut(effect: ClientEffect): 'probe-failed' | undefined {
    const { log, leases, link } = this.#init;
    switch (effect.kind) {
      case 'broadcast':
        this.#sentName = this.#settings.hostname;
        this.#attempt('nothing can be sent', () => this.#wire.broadcast(effect.message));
        return;
      case 'unicast':
        this.#sentName = this.#settings.hostname;
        this.#attempt('the renewal cannot be sent', () =>
          this.#wire.unicast(effect.message, effect.from, effect.to),
        );
        return;
      case 'probe':
        return this.#attempt('the address cannot be probed', () => this.#wire.probe(effect.address))
          ? undefined
          : 'probe-failed';
      case 'gained': {
        const { address, prefixLength, serverId, leaseSeconds } = effect.lease.offer;
        leases.remember(link.name, link.hardware, address);
        this.#used.take(effect.lease.offer, effect.isNew);
        // The name has changed while the reply was on its way.
        if (this.#sentName !== this.#settings.hostname) this.#renewSoon();
        if (!effect.isNew) return;
        this.#attempt('the address cannot be announced', () => this.#wire.announce(address));
        const fields = { link: link.name, address: `${address}/${prefixLength}`, server: serverId };
        this.#addressLines.write(() =>
          log.info({ ...fields, leaseSeconds }, 'the link got an address by DHCP'),
        );
        return;
      }
      case 'lost':
        this.#used.drop();
        this.#wire.forgetAddress();
        this.#addressLines.write(() =>
          log.warn(
            { link: link.name, address: effect.address, reason: effect.reason },
            'the link has lost its address from DHCP',
          ),
        );
        return;
      case 'note':
        this.#note(effect.text);
        return;
    }
  }

  #note(text: string): void {
    const { log, link } = this.#init;
    this.#notes.write(() => log.warn({ link: link.name, reason: text }, 'DHCP'));
  }

  /** What fails is tried again by the state machine, like a message without an answer. False when it has failed. */
  #attempt(problem: string, work: () => void): boolean {
    try {
      work();
      this.#failures.delete(problem);
      return true;
    } catch (error) {
      this.#failed(problem, error);
      return false;
    }
  }

  #failed(problem: string, error: unknown): void {
    const { message } = faultFrom(error);
    if (this.#failures.get(problem) === message) return;
    this.#failures.set(problem, message);
    this.#note(`${problem}: ${message}`);
  }
}

function receptionOf(state: ClientState): Reception {
  if (isListening(state)) return 'servers';
  const { candidate, phase } = state;
  return phase === 'probing' && candidate !== undefined ? { ownersOf: candidate.offer.address } : 'nothing';
}
