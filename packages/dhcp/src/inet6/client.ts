// The state machine of a client of DHCP for IPv6 on one link. It decides, and everything else is done outside. Source: RFC 8415, section 18.
import {
  conflictPauseMs,
  dueMsOf,
  growingPauseMs,
  isOver,
  type LeaseTimes,
  leaseTimesFrom,
} from '../client-times.ts';
import { type Inet6ClientSettings, inet6ClientMessage } from './client-message.ts';
import type { Inet6Message, Inet6MessageType } from './message.ts';
import { type Inet6Grant, type Inet6Reply, inet6ReplyOf, inet6Status } from './server-reply.ts';

/**
 * `down`: the link cannot carry anything. `waiting`: before it asks. `declining`: tells the server that another host has the address.
 * `confirming`: asks whether its address belongs to the link, after the cable came back.
 */
export type Inet6Phase =
  | 'down'
  | 'waiting'
  | 'soliciting'
  | 'requesting'
  | 'bound'
  | 'renewing'
  | 'rebinding'
  | 'confirming'
  | 'declining';

/** An address for a time. */
export interface Inet6Lease extends LeaseTimes {
  readonly grant: Inet6Grant;
  readonly serverId: Uint8Array;
}

export interface Inet6ClientState {
  readonly phase: Inet6Phase;
  /** When the phase goes on by itself, on the monotonic clock in ms; undefined: not at all. */
  readonly dueMs: number | undefined;
  readonly lease: Inet6Lease | undefined;
  readonly transactionId: number;
  /** When the current exchange began. */
  readonly startedMs: number;
  /** When its last message was sent. A lease counts from then, so it ends no later than for the server. */
  readonly sentMs: number;
  /** The last pause between two messages of the exchange. */
  readonly pauseMs: number;
  readonly tries: number;
  /** Exchanges in a row that ended without an address. */
  readonly failures: number;
  /** Addresses in a row that another host had. */
  readonly conflicts: number;
  /** The best offer until now; in `declining`, what is declined. */
  readonly offer: Inet6Offer | undefined;
  /** A server whose last offer led to nothing: for a moment, others are preferred. Source: RFC 8415, section 18.2.2. */
  readonly avoided: Uint8Array | undefined;
}

export interface Inet6Offer {
  readonly serverId: Uint8Array;
  readonly address: string;
  readonly preference: number;
}

export type Inet6ClientEvent =
  /** `timer`: the time of `dueMsOf()` is reached. It may come at any time, and does nothing before. */
  | { readonly kind: 'link-up' | 'link-down' | 'timer' }
  | { readonly kind: 'message'; readonly message: Inet6Message }
  /** The kernel has found another host that has the address. */
  | { readonly kind: 'address-in-use'; readonly address: string };

export type Inet6ClientEffect =
  /** To all servers of the link. */
  | { readonly kind: 'send'; readonly message: Inet6Message }
  | { readonly kind: 'gained'; readonly lease: Inet6Lease; readonly isNew: boolean }
  | { readonly kind: 'lost'; readonly address: string; readonly reason: string }
  /** A line for people. Rogue servers can cause many of them. */
  | { readonly kind: 'note'; readonly text: string };

export interface Inet6ClientFacts {
  readonly settings: Inet6ClientSettings;
  /** Of the monotonic clock. */
  readonly nowMs: number;
  /** At least 0, less than 1. */
  readonly random: () => number;
}

export interface Inet6ClientStep {
  readonly state: Inet6ClientState;
  readonly effects: readonly Inet6ClientEffect[];
}

interface Repetition {
  readonly message: Inet6MessageType;
  readonly firstMs: number;
  readonly longestMs: number;
  /** Messages, after which the exchange ends. */
  readonly most?: number;
}

/** Source: RFC 8415, section 7.6. Only the longest pause of a solicitation, 3600 s there, is shorter: a server may come later. */
const repetitions: Readonly<Partial<Record<Inet6Phase, Repetition>>> = {
  soliciting: { message: 'solicit', firstMs: 1000, longestMs: 120_000 },
  requesting: { message: 'request', firstMs: 1000, longestMs: 30_000, most: 10 },
  renewing: { message: 'renew', firstMs: 10_000, longestMs: 600_000 },
  rebinding: { message: 'rebind', firstMs: 10_000, longestMs: 600_000 },
  // About ten seconds.
  confirming: { message: 'confirm', firstMs: 1000, longestMs: 4000, most: 4 },
  declining: { message: 'decline', firstMs: 1000, longestMs: 8000, most: 4 },
};
/** The first message waits for up to this time, so that many machines that start at once do not ask at once. */
const longestDelayMs = 1000;
/** A server with this preference is taken at once. */
const highestPreference = 255;

/** A client on a link that is not up. */
export const newInet6Client = (): Inet6ClientState => ({
  ...{ phase: 'down', dueMs: undefined, lease: undefined, transactionId: 0, startedMs: 0, sentMs: 0 },
  ...{ pauseMs: 0, tries: 0, failures: 0, conflicts: 0, offer: undefined, avoided: undefined },
});

/** Whether a message of a server may change something now. */
export const isInet6Listening = ({ phase, tries }: Inet6ClientState): boolean =>
  repetitions[phase] !== undefined && tries > 0;

/** The next state of the client after an event. */
export function stepInet6Client(
  state: Inet6ClientState,
  event: Inet6ClientEvent,
  facts: Inet6ClientFacts,
): Inet6ClientStep {
  const run = new Run(state, facts);
  if (event.kind === 'link-up') run.linkUp();
  if (event.kind === 'link-down') run.linkDown();
  if (event.kind === 'message') run.message(event.message);
  if (event.kind === 'address-in-use') run.addressInUse(event.address);
  run.timers();
  return { state: run.state, effects: run.effects };
}

/** The steps that follow from one event. */
class Run {
  state: Inet6ClientState;
  readonly effects: Inet6ClientEffect[] = [];
  readonly #facts: Inet6ClientFacts;

  constructor(state: Inet6ClientState, facts: Inet6ClientFacts) {
    this.state = state;
    this.#facts = facts;
  }

  get #nowMs(): number {
    return this.#facts.nowMs;
  }

  linkUp() {
    if (this.state.phase !== 'down') return;
    const delayMs = this.#facts.random() * longestDelayMs;
    if (this.state.lease === undefined) this.#wait(delayMs);
    else this.#begin('confirming', delayMs);
  }

  /** The address stays until its lease ends: a cable that is put back does not interrupt connections. */
  linkDown() {
    this.#change({ phase: 'down', dueMs: undefined, offer: undefined });
  }

  message(message: Inet6Message) {
    if (!isInet6Listening(this.state) || message.transactionId !== this.state.transactionId) return;
    const reply = inet6ReplyOf(message, this.#facts.settings);
    if (reply === undefined) return;
    if (this.state.phase === 'soliciting') this.#solicited(reply);
    else if (!reply.isAdvertisement) this.#replied(reply);
  }

  addressInUse(address: string) {
    const { lease, conflicts } = this.state;
    if (lease?.grant.address !== address) return;
    this.#note(`${address} is declined: another host has it`);
    this.#change({ conflicts: conflicts + 1 });
    this.#lose('another host has it');
    const offer = { serverId: lease.serverId, address, preference: 0 };
    if (this.state.phase === 'down') return;
    this.#begin('declining', 0);
    this.#change({ offer });
  }

  /** Everything that is due by now. Each of these makes progress, so there is a limit only against a mistake here. */
  timers() {
    for (let count = 0; count < 16; count += 1) {
      if (!isOver(dueMsOf(this.state), this.#nowMs)) return;
      if (isOver(this.state.lease?.endMs, this.#nowMs)) {
        this.#lose('its lease has ended');
        if (this.state.phase !== 'down') this.#wait(0);
      } else this.#timer();
    }
  }

  #timer() {
    const { phase, lease, offer, tries } = this.state;
    switch (phase) {
      case 'down':
        return this.#change({ dueMs: undefined });
      case 'waiting':
        return this.#begin('soliciting', 0);
      case 'bound':
        return this.#begin('renewing', 0);
      case 'soliciting':
        if (offer !== undefined) return this.#request(offer);
        break;
      case 'renewing':
        if (isOver(lease?.rebindMs, this.#nowMs)) return this.#begin('rebinding', 0);
        break;
      default:
        break;
    }
    if (tries >= (repetitions[phase]?.most ?? Number.POSITIVE_INFINITY)) return this.#giveUp();
    this.#send();
  }

  /** An exchange has ended without a reply. */
  #giveUp() {
    const { phase, conflicts } = this.state;
    // A link that nobody answers on may have a router that is away.
    if (phase === 'confirming') return this.#resume();
    if (phase === 'declining') return this.#wait(conflictPauseMs(conflicts));
    this.#fail('the server that offered an address is silent');
  }

  /** Goes on with the lease as before. */
  #resume() {
    const { lease } = this.state;
    if (lease === undefined) return this.#wait(0);
    this.#change({ phase: 'bound', dueMs: lease.renewMs, tries: 0 });
  }

  #solicited(reply: Inet6Reply) {
    const { tries, offer, avoided } = this.state;
    const [grant] = reply.grants;
    // A server without an address for this client says so, and another one may have one.
    if (reply.status !== inet6Status.success || grant === undefined) return;
    if (!reply.isAdvertisement) {
      if (reply.isRapid) this.#bind(grant, reply.serverId);
      return;
    }
    const { serverId, preference } = reply;
    if (tries <= 1 && isSame(avoided, serverId)) return;
    const next = { serverId, preference, address: grant.address };
    if (tries > 1 || preference === highestPreference) return this.#request(next);
    if (offer === undefined || preference > offer.preference) this.#change({ offer: next });
  }

  #request(offer: Inet6Offer) {
    this.#begin('requesting', 0);
    this.#change({ offer });
  }

  #replied(reply: Inet6Reply) {
    const { phase, lease, offer } = this.state;
    const server = phase === 'requesting' || phase === 'declining' ? offer?.serverId : lease?.serverId;
    // After T2 any server may go on with the lease. Before, any host of the link could end it otherwise.
    if (phase !== 'rebinding' && !isSame(server, reply.serverId)) return;
    const { notOnLink, noBinding, success } = inet6Status;
    if (phase === 'declining') return this.#giveUp();
    if (phase === 'confirming') {
      if (reply.status === notOnLink) return this.#loseAndAsk('it does not belong to the link any more');
      if (reply.status === success) this.#resume();
      return;
    }
    if (reply.status === noBinding && lease !== undefined && phase !== 'requesting')
      return this.#request({ serverId: reply.serverId, address: lease.grant.address, preference: 0 });
    if (reply.status !== success) {
      if (phase === 'requesting') this.#fail(`the server refuses its offer, with status ${reply.status}`);
      return;
    }
    const known = lease?.grant.address ?? offer?.address;
    const grant = reply.grants.find(({ address }) => address === known) ?? reply.grants[0];
    if (grant !== undefined) return this.#bind(grant, reply.serverId);
    if (lease !== undefined && reply.removed.includes(lease.grant.address))
      return this.#loseAndAsk('the server takes it away');
    if (phase === 'requesting') this.#fail('the server grants no address');
  }

  #bind(grant: Inet6Grant, serverId: Uint8Array) {
    const { sentMs, lease: before } = this.state;
    const times = leaseTimesFrom(sentMs, { ...grant, seconds: grant.validSeconds });
    const lease: Inet6Lease = { grant, serverId, ...times };
    // A reply that comes when the lease of it has ended grants nothing.
    if (isOver(lease.endMs, this.#nowMs)) return;
    const isNew = before?.grant.address !== grant.address;
    if (before !== undefined && isNew) this.#lose('the server gives another one');
    // Duplicate address detection begins after this, so conflicts are forgotten only when the address is renewed.
    const conflicts = isNew ? this.state.conflicts : 0;
    this.#change({
      ...{ phase: 'bound', lease, dueMs: lease.renewMs, tries: 0, failures: 0, conflicts, offer: undefined },
      avoided: undefined,
    });
    this.effects.push({ kind: 'gained', lease, isNew });
  }

  #lose(reason: string) {
    const { lease } = this.state;
    this.#change({ lease: undefined });
    if (lease !== undefined) this.effects.push({ kind: 'lost', address: lease.grant.address, reason });
  }

  #loseAndAsk(reason: string) {
    this.#lose(reason);
    this.#fail(reason);
  }

  /** Asks again, after a pause that grows. */
  #fail(reason: string) {
    const { failures, lease, offer } = this.state;
    this.#note(reason);
    this.#change({ failures: failures + 1, avoided: offer?.serverId });
    const pauseMs = growingPauseMs(failures);
    // With a lease, all servers are asked for it until it ends.
    if (lease !== undefined) return this.#begin('rebinding', pauseMs);
    this.#wait(pauseMs);
  }

  #wait(pauseMs: number) {
    this.#change({ phase: 'waiting', dueMs: this.#nowMs + pauseMs, offer: undefined, tries: 0 });
  }

  /** Begins a phase, with an exchange of its own. */
  #begin(phase: Inet6Phase, delayMs: number) {
    const transactionId = Math.floor(this.#facts.random() * 2 ** 24);
    const startedMs = this.#nowMs + delayMs;
    this.#change({
      phase,
      transactionId,
      startedMs,
      dueMs: startedMs,
      tries: 0,
      pauseMs: 0,
      offer: undefined,
    });
  }

  #send() {
    const { phase, transactionId, startedMs, tries, pauseMs, lease, offer } = this.state;
    const repetition = repetitions[phase];
    if (repetition === undefined) return;
    const message = inet6ClientMessage(this.#facts.settings, {
      ...{ type: repetition.message, transactionId, elapsedMs: this.#nowMs - startedMs },
      // Each other one is for all servers.
      serverId: phase === 'renewing' ? lease?.serverId : offer?.serverId,
      address: offer?.address ?? lease?.grant.address,
    });
    this.effects.push({ kind: 'send', message });
    const spread = (this.#facts.random() * 2 - 1) / 10;
    const { firstMs, longestMs } = repetition;
    const isFirst = tries === 0;
    // The first pause of a solicitation is never shorter, so that advertisements of all servers may come.
    const share = isFirst && phase === 'soliciting' ? Math.abs(spread) : spread;
    const grown = isFirst ? firstMs * (1 + share) : pauseMs * (2 + share);
    const nextMs = grown > longestMs ? longestMs * (1 + share) : grown;
    const untilMs = phase === 'renewing' ? lease?.rebindMs : undefined;
    const dueMs = Math.min(this.#nowMs + nextMs, untilMs ?? Number.POSITIVE_INFINITY);
    this.#change({ tries: tries + 1, pauseMs: nextMs, dueMs, sentMs: this.#nowMs });
  }

  #note(text: string) {
    this.effects.push({ kind: 'note', text });
  }

  #change(fields: Partial<Inet6ClientState>) {
    this.state = { ...this.state, ...fields };
  }
}

const isSame = (one: Uint8Array | undefined, other: Uint8Array) =>
  one !== undefined && Buffer.from(one).equals(other);
