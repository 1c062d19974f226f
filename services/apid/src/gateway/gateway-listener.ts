import { roles } from '@nodewright/contract';
import { faultFrom, grpcCodeFromKind } from '@nodewright/fault';
import {
  type Admission,
  addressBlock,
  backoffDelayMs,
  GatewayServer,
  type GrpcStatus,
  type H2Engine,
  type H2Limits,
  type Handshake,
  h2ErrorCodes,
  type InboundCall,
  type ServerCredentials,
} from '@nodewright/h2';
import type { Logger } from '@nodewright/telemetry';
import { identityOf } from '../domain/caller-identity.ts';
import { judgeClientCertificate } from '../domain/client-certificate.ts';
import type { ConnectionShares } from '../domain/connection-shares.ts';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import { needsNewListener } from '../domain/identity-change.ts';
import { callGrowth } from '../domain/limits.ts';
import type { CallRecord } from './call-record.ts';
import type { CallerConduct } from './caller-conduct.ts';
import { Chain } from './chain.ts';
import { endEndlessCalls } from './end-endless-calls.ts';
import type { GatewayPeer } from './gateway.ts';
import { apidLimits, clientLimits, furtherClientLimits, strangerClientLimits } from './http2-limits.ts';

export interface GatewayListenerInit {
  readonly engine: H2Engine;
  readonly log: Logger;
  /** @param active holds the record of the call until the call is over */
  onCall(call: InboundCall, peer: GatewayPeer, active: Chain<CallRecord>): void;
  /** Called once for each admitted connection, when it is closed. */
  onClosed(peer: GatewayPeer): void;
  readonly connections: ConnectionShares;
  /** The connections of clients without a certificate, where others need one. */
  readonly strangers: ConnectionShares;
  readonly conduct: CallerConduct;
  /** The current time in milliseconds, monotonic. */
  now(): number;
  /** Called whenever the listener opens or closes. */
  onListening(listening: boolean): void;
  /** How long open calls may continue after the listener closes, in milliseconds. */
  readonly drainTimeoutMs: number;
}

interface OpenListener {
  readonly server: GatewayServer<GatewayPeer>;
  readonly identity: GatewayIdentity;
  readonly active: Chain<CallRecord>;
  /** The clients without a certificate, where others need one. */
  readonly strangers: Set<GatewayPeer>;
}

/** How long the last statuses may take to reach clients, in milliseconds. */
const flushMs = 500;

/**
 * The public listener, as the identity requires. Without an identity it is closed. It reopens when the
 * address or the mode changes. Otherwise a new identity only replaces the credentials, which later handshakes
 * use. Connections without a certificate end with the wait that admitted them.
 */
export class GatewayListener implements AsyncDisposable {
  readonly #init: GatewayListenerInit;
  #open: OpenListener | undefined;
  /** Listeners that are closed but still have open calls. */
  readonly #draining = new Set<Promise<void>>();
  #retry: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #failures = 0;
  #disposed = false;

  constructor(init: GatewayListenerInit) {
    this.#init = init;
  }

  /**
   * Applies `identity` after all identities given before. Resolves when the listener matches it, or when
   * opening failed and a retry is scheduled.
   */
  apply(identity: GatewayIdentity | undefined): Promise<void> {
    clearTimeout(this.#retry);
    this.#turn = this.#turn.then(() => this.#apply(identity));
    return this.#turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await this.#turn;
    clearTimeout(this.#retry);
    this.#close();
    await Promise.all(this.#draining);
  }

  async #apply(identity: GatewayIdentity | undefined): Promise<void> {
    clearTimeout(this.#retry);
    if (this.#disposed) return;
    const open = this.#open;
    if (open === undefined || identity === undefined || needsNewListener(open.identity, identity)) {
      this.#close();
      if (identity !== undefined) await this.#listen(identity);
      return;
    }
    try {
      open.server.setCredentials(credentialsOf(identity));
      this.#open = { ...open, identity };
      if (identity.waitsFor === undefined) dismissAll(open);
    } catch (error) {
      this.#init.log.error(
        { error: faultFrom(error).message },
        'credentials are not usable, keeping the last good ones',
      );
    }
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { server, identity, active } = this.#open;
    const { drainTimeoutMs, onListening } = this.#init;
    this.#open = undefined;
    onListening(false);
    const message = `apid on ${identity.hostname} is shutting down`;
    const stopping = { code: grpcCodeFromKind('unavailable'), message };
    const stopLooking = endEndlessCalls(active, stopping);
    // Calls that are still open at the end of the drain get a status instead of a reset.
    const expired = setTimeout(() => {
      for (const { target } of active.all()) target?.abort(stopping);
    }, drainTimeoutMs);
    const closed: Promise<void> = server.close(drainTimeoutMs + flushMs).finally(() => {
      stopLooking();
      clearTimeout(expired);
      this.#draining.delete(closed);
    });
    this.#draining.add(closed);
  }

  async #listen(identity: GatewayIdentity): Promise<void> {
    const { listen } = identity;
    const facts = {
      address: listen.host ?? '*',
      port: listen.port,
      nodeRoutingDisabled: identity.nodeRoutingDisabled,
      readonlyRoleMode: identity.readonlyRoleMode,
      skipVerifyingClientCert: identity.skipVerifyingClientCert,
    };
    const active = new Chain<CallRecord>();
    const strangers = new Set<GatewayPeer>();
    try {
      const server = this.#createServer(identity, active, strangers);
      const port = await server.listen({
        ...(listen.host !== undefined && { host: listen.host }),
        port: listen.port,
      });
      this.#failures = 0;
      this.#open = { server, identity, active, strangers };
      this.#init.log.info({ ...facts, port }, 'gateway listens');
      this.#init.onListening(true);
    } catch (error) {
      this.#failures += 1;
      const retryMs = Math.round(backoffDelayMs(this.#failures, 0.5));
      this.#init.log.error({ ...facts, error: faultFrom(error).message, retryMs }, 'cannot listen');
      this.#retry = setTimeout(() => void this.apply(identity), retryMs);
    }
  }

  #createServer(
    identity: GatewayIdentity,
    active: Chain<CallRecord>,
    strangers: Set<GatewayPeer>,
  ): GatewayServer<GatewayPeer> {
    const { engine, log, onCall, onClosed, connections, conduct, now } = this.#init;
    const { strangers: strangerConnections } = this.#init;
    const isStranger = (hasCertificate: boolean) => !hasCertificate && !identity.skipVerifyingClientCert;
    const refusalOf: ConnectionRefusal = (caller, isApid, hasCertificate) => {
      const refusal = isStranger(hasCertificate)
        ? strangerRefusal(strangerConnections, caller)
        : connections.refusal(caller, isApid);
      return refusal ?? conduct.connectionRefusal(caller, now());
    };
    // A listener that has just closed admits nobody.
    const admits = (): Strangers => {
      if (identity.skipVerifyingClientCert) return 'all';
      return this.#open?.identity.waitsFor === undefined ? 'none' : 'without-certificate';
    };
    const limitsOf: LimitsOf = (caller, hasCertificate) => {
      if (isStranger(hasCertificate)) return strangerClientLimits;
      return connections.count(caller) < callGrowth.furtherAfter ? clientLimits : furtherClientLimits;
    };
    return new GatewayServer<GatewayPeer>({
      engine,
      limits: clientLimits,
      credentials: credentialsOf(identity),
      admit: (handshake) => admit(handshake, admits(), refusalOf, limitsOf),
      onCall: (call, peer) => onCall(call, peer, active),
      onConnection(connection, peer) {
        peer.connection = connection;
        const isOne = isStranger(peer.hasCertificate);
        const release = (isOne ? strangerConnections : connections).open(peer.identity);
        if (isOne) strangers.add(peer);
        void connection.closed.then(() => {
          strangers.delete(peer);
          release();
          onClosed(peer);
        });
      },
      onExpired: (peer) => endCalls(active, peer, certificateExpired),
      onRefused(reason, handshake) {
        const leftOut = conduct.takeLine(`address ${addressBlock(handshake.remoteAddress)}`, now());
        if (leftOut === undefined) return;
        const more = leftOut === 0 ? {} : { linesLeftOut: leftOut };
        log.warn({ ...refusalFacts(reason, handshake), ...more }, 'connection refused');
      },
      onBroken: (reason, handshake) => log.debug({ peer: peerName(handshake), reason }, 'connection broke'),
    });
  }
}

function credentialsOf(identity: GatewayIdentity): ServerCredentials {
  return {
    certificate: identity.server.certificate,
    key: identity.server.key,
    requestClientCertificate: !identity.skipVerifyingClientCert,
    clientCas: identity.acceptedCas,
  };
}

/** Why a connection of this identity must not be opened, as text; `undefined` when it may. */
type ConnectionRefusal = (identity: string, isApid: boolean, hasCertificate: boolean) => string | undefined;

type LimitsOf = (identity: string, hasCertificate: boolean) => H2Limits;

function strangerRefusal(strangers: ConnectionShares, caller: string): string | undefined {
  const refusal = strangers.refusal(caller, false);
  return refusal === undefined ? undefined : `${refusal} without a client certificate`;
}

/**
 * Which clients are admitted without an accepted certificate: all in maintenance, where no certificate counts; those that present none
 * while a worker waits for its own certificate, so that a wrong one gets no more than none.
 */
type Strangers = 'all' | 'without-certificate' | 'none';

function admit(
  handshake: Handshake,
  strangers: Strangers,
  refusalOf: ConnectionRefusal,
  limitsOf: LimitsOf,
): Admission<GatewayPeer> {
  const { remoteAddress, certificate } = handshake;
  if (strangers === 'all' || certificate === undefined) {
    if (strangers === 'none') return { admitted: false, reason: 'client sent no certificate' };
    const identity = `address ${addressBlock(remoteAddress)}`;
    const refusal = refusalOf(identity, false, false);
    if (refusal !== undefined) return tooMany(refusal);
    const peer = createPeer(handshake, identity, { hasCertificate: false, organizations: [] });
    return { admitted: true, peer, limits: limitsOf(identity, false) };
  }
  const verdict = judgeClientCertificate(certificate, handshake.certificateError);
  if (!verdict.accepted) return { admitted: false, reason: verdict.reason };
  const { organizations } = verdict;
  const peer = createPeer(handshake, identityOf(certificate), { hasCertificate: true, organizations });
  const refusal = refusalOf(peer.identity, peer.isApid, true);
  if (refusal !== undefined) return tooMany(refusal);
  return {
    admitted: true,
    peer,
    validUntilMs: certificate.validToDate.getTime(),
    limits: peer.isApid ? apidLimits : limitsOf(peer.identity, true),
  };
}

function tooMany(reason: string): Admission<GatewayPeer> {
  return { admitted: false, reason, code: h2ErrorCodes.enhanceYourCalm };
}

function createPeer(
  handshake: Handshake,
  identity: string,
  { hasCertificate, organizations }: Pick<GatewayPeer, 'hasCertificate' | 'organizations'>,
): GatewayPeer {
  return {
    hasCertificate,
    remoteAddress: handshake.remoteAddress,
    name: peerName(handshake),
    organizations,
    identity,
    isApid: organizations.includes(roles.impersonator),
    connection: undefined,
  };
}

const certificateExpired: GrpcStatus = {
  code: grpcCodeFromKind('unauthenticated'),
  message: 'the client certificate has expired',
};
const waitIsOver: GrpcStatus = {
  code: grpcCodeFromKind('unavailable'),
  message: 'this node has its certificate, and takes calls from clients with a certificate only',
};

/** Ends the connections without a certificate. A client that does not read the end of its call loses its connection all the same. */
function dismissAll({ active, strangers }: OpenListener): void {
  for (const peer of strangers) {
    const { connection } = peer;
    endCalls(active, peer, waitIsOver);
    connection?.drain();
    const timer = setTimeout(() => connection?.destroy(), flushMs);
    void connection?.closed.then(() => clearTimeout(timer));
  }
  strangers.clear();
}

/** When a connection must end, its open calls get a status instead of a reset. */
function endCalls(active: Chain<CallRecord>, peer: GatewayPeer, status: GrpcStatus): void {
  for (const call of active.all()) if (call.isOf(peer)) call.target?.abort(status);
}

function peerName({ remoteAddress, remotePort }: Handshake): string {
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

function refusalFacts(reason: string, handshake: Handshake) {
  const { certificate } = handshake;
  return {
    peer: peerName(handshake),
    reason,
    ...(certificate === undefined
      ? {}
      : { subject: oneLine(certificate.subject), issuer: oneLine(certificate.issuer) }),
  };
}

/** Node writes each part of a distinguished name on its own line, and gives `undefined` for an empty name. */
function oneLine(name: string | undefined): string {
  return (name ?? '').replaceAll('\n', ', ');
}
