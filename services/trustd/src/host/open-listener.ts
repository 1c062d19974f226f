import { GatewayServer, gatewayLimits, type H2Limits, type InboundCall, nodeEngine } from '@nodewright/h2';
import type { Logger } from '@nodewright/telemetry';
import type { Clock } from '../domain/clock.ts';
import { trustdLimits } from '../domain/limits.ts';
import type { LogAllowance } from '../domain/log-allowance.ts';
import { Connections } from './connections.ts';
import { Peer } from './peer.ts';

/** What strangers get of HTTP/2. */
const strangerLimits: H2Limits = {
  ...gatewayLimits,
  streamWindowBytes: trustdLimits.streamWindowBytes,
  connectionWindowBytes: 65_535,
  maxHeaderListBytes: trustdLimits.metadataBytes,
  maxConcurrentCalls: trustdLimits.callsPerConnection,
  cancels: trustdLimits.cancels,
  prefaceTimeoutMs: trustdLimits.strangerMs,
};

/** Calls in flight get this long when the daemon stops, in ms. */
const drainMs = 5000;

/** PEM. The private key is a secret. */
export interface TlsPair {
  readonly certificate: string;
  readonly key: string;
}

export interface ListenerInit {
  readonly clock: Clock;
  readonly log: Logger;
  /** For what strangers cause. */
  readonly strangerLog: LogAllowance;
  readonly pair: TlsPair;
  onCall(call: InboundCall, peer: Peer): void;
}

export interface Listener extends AsyncDisposable {
  /** Resolves with the bound port; rejects with the system's error. */
  listen(address: { readonly host?: string; readonly port: number }): Promise<number>;
  /** For new handshakes. Throws, and keeps the former pair, when this one cannot be used. */
  setPair(pair: TlsPair): void;
}

const credentialsOf = (pair: TlsPair) => ({ ...pair, requestClientCertificate: false, clientCas: [] });

/** TLS 1.3 without client certificates, within the limits for strangers. */
export function openListener({ clock, log, strangerLog, pair, onCall }: ListenerInit): Listener {
  const connections = new Connections({ clock, limits: trustdLimits });
  const server = new GatewayServer<Peer>({
    engine: nodeEngine,
    limits: strangerLimits,
    handshakes: { inFlight: trustdLimits.handshakes, timeoutMs: trustdLimits.handshakeMs },
    credentials: credentialsOf(pair),
    admit: (handshake) => ({ admitted: true, peer: new Peer(handshake, clock.nowMs()) }),
    onConnection: (connection, peer) => connections.add(connection, peer),
    onCall,
    onRefused(reason, { remoteAddress }) {
      const linesLeftOut = strangerLog.take(clock.nowMs());
      if (linesLeftOut === undefined) return;
      log.info({ address: remoteAddress, reason, linesLeftOut }, 'connection refused');
    },
    onBroken: (reason, { remoteAddress }) =>
      log.debug({ address: remoteAddress, reason }, 'connection broke'),
  });
  return {
    listen: (address) => server.listen(address),
    setPair: (next) => server.setCredentials(credentialsOf(next)),
    [Symbol.asyncDispose]: () => server.close(drainMs),
  };
}
