// The state machine of a DHCP client on one link. It decides, and everything else is done outside: the caller sends, waits and sets
// addresses. Source: RFC 2131, section 4.4, figure 5.
import { type ClientSettings, clientMessage } from './client-messages.ts';
import {
  conflictPauseMs,
  dueMsOf,
  growingPauseMs,
  isOver,
  type LeaseTimes,
  leaseTimesFrom,
} from './client-times.ts';
import type { DhcpMessage } from './dhcp-message.ts';
import { type LeaseOffer, messageTypeOf, offerOf, serverIdOf } from './lease-offer.ts';
import { messageTypes } from './option-codes.ts';

/**
 * `down`: the link cannot carry anything. `init`: waits before it asks. `probing`: has a lease, and asks whether another host has its
 * address. The others are the states of RFC 2131.
 */
export type ClientPhase =
  | 'down'
  | 'init'
  | 'selecting'
  | 'requesting'
  | 'rebooting'
  | 'probing'
  | 'bound'
  | 'renewing'
  | 'rebinding';

/** An address for a time. */
export interface Lease extends LeaseTimes {
  readonly offer: LeaseOffer;
}

export interface ClientState {
  readonly phase: ClientPhase;
  /** When the phase goes on by itself, on the monotonic clock in ms; undefined: not at all. */
  readonly dueMs: number | undefined;
  /** The lease whose address the link has. */
  readonly lease: Lease | undefined;
  /** The address that it had before, which it asks for first. */
  readonly remembered: string | undefined;
  /** Of the current exchange. */
  readonly transactionId: number;
  /** When the current exchange began. */
  readonly startedMs: number;
  /** When the request of it was first sent. The lease counts from then. Source: RFC 2131, section 4.4.1. */
  readonly requestedMs: number;
  /** Messages, or probes, of the current exchange. */
  readonly tries: number;
  /** Exchanges in a row that ended without an address. */
  readonly failures: number;
  /** Addresses in a row that another host had. */
  readonly conflicts: number;
  /** When the last message was sent. */
  readonly sentMs: number | undefined;
  /** A server whose last offer led to nothing: for a moment, others are preferred. */
  readonly avoided: string | undefined;
  /** A server has refused the remembered address, and another one may still grant it. */
  readonly isRefused: boolean;
  /** What a server offered, while it is requested. */
  readonly offer: LeaseOffer | undefined;
  /** The lease whose address is probed. */
  readonly candidate: Lease | undefined;
}

export type ClientEvent =
  /** `timer`: the time of `dueMsOf()` is reached. It may come at any time, and does nothing before. */
  | { readonly kind: 'link-up' | 'link-down' | 'timer' }
  | { readonly kind: 'message'; readonly message: DhcpMessage }
  /** The last probe could not be sent. */
  | { readonly kind: 'probe-failed' }
  /** Another host has this address, while it is probed. */
  | { readonly kind: 'address-in-use'; readonly address: string; readonly owner: string }
  /** The server is to learn another name. */
  | { readonly kind: 'renew' };

export type ClientEffect =
  | { readonly kind: 'broadcast'; readonly message: DhcpMessage }
  | { readonly kind: 'unicast'; readonly message: DhcpMessage; readonly from: string; readonly to: string }
  | { readonly kind: 'probe'; readonly address: string }
  /** The link gets this lease, or other settings of the lease that it has. */
  | { readonly kind: 'gained'; readonly lease: Lease; readonly isNew: boolean }
  | { readonly kind: 'lost'; readonly address: string; readonly reason: string }
  /** A line for people. Rogue servers can cause many of them. */
  | { readonly kind: 'note'; readonly text: string };

/** What the client gets from outside. */
export interface ClientFacts {
  readonly settings: ClientSettings;
  /** Of the monotonic clock. */
  readonly nowMs: number;
  /** At least 0, less than 1. */
  readonly random: () => number;
}

export interface ClientStep {
  readonly state: ClientState;
  readonly effects: readonly ClientEffect[];
}

/** The first pause after a message without an answer, which doubles up to the longest. Source: RFC 2131, section 4.1. */
const firstRetryMs = 4000;
const longestRetryMs = 64_000;
/** Pauses differ by up to this time, so that many machines that start at once do not ask at once. */
const jitterMs = 1000;
/** A server that has offered and does not acknowledge is given up after a minute. */
const requestTries = 4;
/** A server that does not know the address is silent. Source: RFC 2131, section 3.2. */
const rebootTries = 2;
/** How long the server of the lease may take to grant it after another one has refused it. */
const refusalPauseMs = 1000;
/** Renewals are not repeated faster. Source: RFC 2131, section 4.4.5. */
const renewRetryMs = 60_000;
/** Between messages of different exchanges, whatever a link or a server does. */
const shortestPauseMs = 1000;
/** Three probes and a wait, 2 s in all. RFC 5227 takes 7 s, with which a machine would start later. */
const probeTries = 3;
const probeIntervalMs = 500;
const probeWaitMs = 1000;

/**
 * A client on a link that is not up.
 *
 * @param remembered the address of an earlier start, which it asks for first
 */
export const newClient = (remembered?: string): ClientState => ({
  ...{ phase: 'down', dueMs: undefined, lease: undefined, remembered, transactionId: 0, startedMs: 0 },
  requestedMs: 0,
  ...{ tries: 0, failures: 0, conflicts: 0, sentMs: undefined, offer: undefined, candidate: undefined },
  ...{ avoided: undefined, isRefused: false },
});

/** Whether a message of a server may change something now. */
export const isListening = ({ phase }: ClientState): boolean =>
  ['selecting', 'requesting', 'rebooting', 'renewing', 'rebinding'].includes(phase);

/** The next state of the client after an event. */
export function stepClient(state: ClientState, event: ClientEvent, facts: ClientFacts): ClientStep {
  const run = new Run(state, facts);
  switch (event.kind) {
    case 'link-up':
      run.linkUp();
      break;
    case 'link-down':
      run.linkDown();
      break;
    case 'message':
      run.message(event.message);
      break;
    case 'address-in-use':
      run.addressInUse(event.address, event.owner);
      break;
    case 'probe-failed':
      run.probeFailed();
      break;
    case 'renew':
      if (state.phase === 'bound') run.renew();
      break;
    case 'timer':
      break;
  }
  run.timers();
  return { state: run.state, effects: run.effects };
}

/** The steps that follow from one event. */
class Run {
  state: ClientState;
  readonly effects: ClientEffect[] = [];
  readonly #facts: ClientFacts;

  constructor(state: ClientState, facts: ClientFacts) {
    this.state = state;
    this.#facts = facts;
  }

  get #nowMs(): number {
    return this.#facts.nowMs;
  }

  /** Verifies what it has, or asks for what it had: the link may be on another network now. */
  linkUp() {
    if (this.state.phase !== 'down') return;
    const { remembered } = this.state;
    this.#begin(remembered === undefined ? 'init' : 'rebooting', this.#pauseMs(0));
  }

  /** The address stays until its lease ends: a cable that is put back does not interrupt connections. */
  linkDown() {
    const { phase, candidate, remembered } = this.state;
    if (phase === 'down') return;
    this.#change({
      ...{ phase: 'down', dueMs: undefined, offer: undefined, candidate: undefined },
      remembered: candidate?.offer.address ?? remembered,
    });
  }

  message(message: DhcpMessage) {
    const { phase, transactionId } = this.state;
    const { hardware } = this.#facts.settings;
    if (!isListening(this.state) || this.state.tries === 0) return;
    if (!message.isReply || message.transactionId !== transactionId || message.hardware !== hardware) return;
    const type = messageTypeOf(message);
    if (phase === 'selecting') {
      if (type === messageTypes.offer) this.#offered(message);
      return;
    }
    if (type === messageTypes.nak) this.#refused(message);
    if (type === messageTypes.ack) this.#acknowledged(message);
  }

  /** Another host has the address: the server learns it, and the client asks again after a pause. */
  addressInUse(address: string, owner: string) {
    const { candidate, phase } = this.state;
    if (phase !== 'probing' || candidate?.offer.address !== address) return;
    this.#note(`${address} is declined: the host with the hardware address ${owner} has it`);
    const text = `the host ${owner} has this address`;
    this.#send('decline', { requestedAddress: address, serverId: candidate.offer.serverId, text });
    const conflicts = this.state.conflicts + 1;
    this.#change({ conflicts, remembered: undefined });
    this.#begin('init', conflictPauseMs(conflicts));
  }

  /** It was no question that nobody answered: it is asked once more, after a pause. */
  probeFailed() {
    const { phase, tries } = this.state;
    if (phase !== 'probing') return;
    this.#change({ tries: Math.max(0, tries - 1), dueMs: this.#nowMs + probeWaitMs });
  }

  /** Asks the server of the lease to go on with it. */
  renew() {
    this.#begin('renewing', 0);
  }

  /** Everything that is due by now. Each of these makes progress, so there is a limit only against a mistake here. */
  timers() {
    for (let count = 0; count < 16; count += 1) {
      if (!isOver(dueMsOf(this.state), this.#nowMs)) return;
      if (isOver(this.state.lease?.endMs, this.#nowMs)) this.#lose('its lease has ended');
      else this.#timer();
    }
  }

  #timer() {
    const { phase, lease, tries } = this.state;
    switch (phase) {
      case 'down':
        return this.#change({ dueMs: undefined });
      case 'init':
        return this.#begin('selecting', 0);
      case 'selecting':
        this.#send('discover', { requestedAddress: this.state.remembered });
        return this.#retryLater();
      case 'requesting':
        if (tries >= requestTries) return this.#fail('the server that offered an address is silent');
        return this.#sendRequest();
      case 'rebooting':
        if (this.state.isRefused) return this.#giveUpRefused();
        if (tries >= rebootTries) return this.#rebootUnanswered();
        return this.#sendRequest();
      case 'probing':
        return this.#probe();
      case 'bound':
        return this.#begin('renewing', 0);
      case 'renewing':
        if (isOver(lease?.rebindMs, this.#nowMs)) return this.#begin('rebinding', 0);
        return this.#sendRenewal();
      case 'rebinding':
        return this.#sendRenewal();
    }
  }

  #offered(message: DhcpMessage) {
    const offer = offerOf(message);
    if ('reason' in offer) return this.#note(`an offer is ignored: ${offer.reason}`);
    const { avoided, tries } = this.state;
    if (avoided !== undefined && offer.serverId === avoided && tries <= 1) return;
    this.#change({ phase: 'requesting', offer, tries: 0, dueMs: this.#nowMs, requestedMs: this.#nowMs });
  }

  /**
   * The server whose answer counts; undefined: that of any server. Before T2 only the server of a lease decides about it, also when the
   * request goes to all servers after the link came back: otherwise a pulled cable would let any host on the network end the lease.
   */
  #believedServer(): string | undefined {
    const { phase, offer, lease } = this.state;
    if (phase === 'requesting') return offer?.serverId;
    if (phase === 'rebooting' && isOver(lease?.rebindMs, this.#nowMs)) return undefined;
    return lease?.offer.serverId;
  }

  #refused(message: DhcpMessage) {
    const server = this.#believedServer();
    if (server !== undefined && server !== serverIdOf(message)) return;
    if (this.state.phase !== 'rebooting') return this.#giveUpRefused();
    const { dueMs = Number.POSITIVE_INFINITY } = this.state;
    this.#change({ isRefused: true, dueMs: Math.min(dueMs, this.#nowMs + refusalPauseMs) });
  }

  #giveUpRefused() {
    const { offer, lease } = this.state;
    const address = offer?.address ?? lease?.offer.address ?? this.state.remembered ?? '';
    this.#change({ remembered: undefined });
    if (lease !== undefined) return this.#lose('the server does not grant it any more');
    this.#fail(`the server does not grant ${address}`);
  }

  #acknowledged(message: DhcpMessage) {
    const { offer: asked, lease, remembered } = this.state;
    const offer = offerOf(message);
    if ('reason' in offer) return this.#note(`an acknowledgement is ignored: ${offer.reason}`);
    const address = asked?.address ?? lease?.offer.address ?? remembered;
    if (offer.address !== address) return;
    const server = this.state.phase === 'rebinding' ? undefined : this.#believedServer();
    if (server !== undefined && offer.serverId !== server) return;
    const next = leaseOf(offer, this.state.requestedMs);
    // A reply that comes when the lease of it has ended grants nothing.
    if (isOver(next.endMs, this.#nowMs)) return;
    if (lease !== undefined) return this.#bind(next, false);
    this.#change({ phase: 'probing', candidate: next, offer: undefined, tries: 0, dueMs: this.#nowMs });
  }

  #probe() {
    const { candidate, tries } = this.state;
    if (candidate === undefined || isOver(candidate.endMs, this.#nowMs))
      return this.#begin('init', this.#pauseMs(0));
    if (tries >= probeTries) return this.#bind(candidate, true);
    this.effects.push({ kind: 'probe', address: candidate.offer.address });
    const pauseMs = tries + 1 === probeTries ? probeWaitMs : probeIntervalMs;
    this.#change({ tries: tries + 1, dueMs: this.#nowMs + pauseMs });
  }

  #bind(lease: Lease, isNew: boolean) {
    this.#change({
      ...{ phase: 'bound', lease, dueMs: lease.renewMs, remembered: lease.offer.address, tries: 0 },
      ...{ failures: 0, conflicts: 0, avoided: undefined, offer: undefined, candidate: undefined },
    });
    this.effects.push({ kind: 'gained', lease, isNew });
  }

  /** Gives the address up, and asks again. */
  #lose(reason: string) {
    const { lease, phase } = this.state;
    this.#change({ lease: undefined });
    if (lease !== undefined) this.effects.push({ kind: 'lost', address: lease.offer.address, reason });
    if (phase !== 'down') this.#begin('init', this.#pauseMs(0));
  }

  #fail(reason: string) {
    this.#note(reason);
    const { failures, offer } = this.state;
    this.#change({ failures: failures + 1, avoided: offer?.serverId });
    // The first time it is tried again at once.
    this.#begin('init', this.#pauseMs(failures === 0 ? 0 : growingPauseMs(failures - 1)));
  }

  /** Nobody answers: a lease that goes on is still good, and another address is asked for without one. */
  #rebootUnanswered() {
    const { lease } = this.state;
    if (lease === undefined) return this.#begin('init', this.#pauseMs(0));
    if (isOver(lease.rebindMs, this.#nowMs)) return this.#begin('rebinding', 0);
    if (isOver(lease.renewMs, this.#nowMs)) return this.#begin('renewing', 0);
    this.#change({ phase: 'bound', dueMs: lease.renewMs, tries: 0 });
  }

  #sendRequest() {
    const { phase, offer, remembered } = this.state;
    if (phase === 'requesting')
      this.#send('request', { requestedAddress: offer?.address, serverId: offer?.serverId });
    else this.#send('request', { requestedAddress: this.state.lease?.offer.address ?? remembered });
    this.#retryLater();
  }

  /** Each renewal is an exchange of its own, so its reply says from when on the lease counts. */
  #sendRenewal() {
    const { phase, lease, tries } = this.state;
    if (lease === undefined) return this.#begin('init', 0);
    const { offer, rebindMs = Number.POSITIVE_INFINITY, endMs = Number.POSITIVE_INFINITY } = lease;
    const nowMs = this.#nowMs;
    this.#change({ transactionId: this.#newTransactionId(), startedMs: nowMs, requestedMs: nowMs });
    const isUnicast = phase === 'renewing' && offer.serverId !== undefined;
    this.#send('request', { clientAddress: offer.address }, isUnicast ? offer : undefined);
    const untilMs = phase === 'renewing' ? rebindMs : endMs;
    const halfMs = (untilMs - this.#nowMs) / 2;
    const dueMs = Math.min(untilMs, this.#nowMs + Math.max(renewRetryMs, halfMs));
    this.#change({ tries: tries + 1, dueMs: Number.isFinite(dueMs) ? dueMs : this.#nowMs + renewRetryMs });
    if (!Number.isFinite(untilMs) && tries + 1 >= requestTries)
      this.#change({ phase: 'bound', dueMs: undefined, tries: 0 });
  }

  #send(
    type: 'discover' | 'request' | 'decline',
    fields: {
      readonly requestedAddress?: string | undefined;
      readonly serverId?: string | undefined;
      readonly clientAddress?: string;
      readonly text?: string;
    },
    to?: LeaseOffer,
  ) {
    const { transactionId, startedMs } = this.state;
    const seconds = Math.floor(Math.max(0, this.#nowMs - startedMs) / 1000);
    const message = clientMessage(this.#facts.settings, { type, transactionId, seconds, ...fields });
    const effect: ClientEffect =
      to?.serverId === undefined
        ? { kind: 'broadcast', message }
        : { kind: 'unicast', message, from: to.address, to: to.serverId };
    this.effects.push(effect);
    this.#change({ sentMs: this.#nowMs });
  }

  /** 4 s, 8 s, up to 64 s, each a second more or less. */
  #retryLater() {
    const { tries } = this.state;
    const pauseMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(tries, 10));
    const spreadMs = (this.#facts.random() * 2 - 1) * jitterMs;
    this.#change({ tries: tries + 1, dueMs: this.#nowMs + pauseMs + spreadMs });
  }

  /** Begins a phase, with an exchange of its own, after a pause. */
  #begin(phase: ClientPhase, pauseMs: number) {
    this.#change({
      ...{
        phase,
        tries: 0,
        isRefused: false,
        offer: undefined,
        candidate: undefined,
        dueMs: this.#nowMs + pauseMs,
      },
      ...{ transactionId: this.#newTransactionId(), startedMs: this.#nowMs + pauseMs },
      requestedMs: this.#nowMs + pauseMs,
    });
  }

  /** A pause that is at least as long as is left of the shortest one since the last message. */
  #pauseMs(wantedMs: number): number {
    const { sentMs } = this.state;
    const leftMs = sentMs === undefined ? 0 : sentMs + shortestPauseMs - this.#nowMs;
    return Math.max(0, wantedMs, leftMs);
  }

  #newTransactionId(): number {
    return Math.floor(this.#facts.random() * 2 ** 32) >>> 0;
  }

  #note(text: string) {
    this.effects.push({ kind: 'note', text });
  }

  #change(fields: Partial<ClientState>) {
    this.state = { ...this.state, ...fields };
  }
}

function leaseOf(offer: LeaseOffer, requestedMs: number): Lease {
  return { offer, ...leaseTimesFrom(requestedMs, { ...offer, seconds: offer.leaseSeconds }) };
}
