import { GatewayServer, gatewayLimits, type H2Engine, type H2Limits, type InboundCall } from '@nodewright/h2';
import type { Logger } from '@nodewright/telemetry';
import type { Clock } from '../domain/clock.ts';
import { trustdLimits } from '../domain/limits.ts';
import type { LogAllowance } from '../domain/log-allowance.ts';
import { Connections } from './connections.ts';
import { Peer } from './peer.ts';

/** HTTP/2 limits of every connection. */
const anonymousLimits: H2Limits = {
  ...gatewayLimits,
  streamWindowBytes: trustdLimits.streamWindowBytes,
  connectionWindowBytes: 65_535,
  maxHeaderListBytes: trustdLimits.metadataBytes,
  maxConcurrentCalls: trustdLimits.callsPerConnection,
  cancels: trustdLimits.cancels,
  prefaceTimeoutMs: trustdLimits.anonymousMs,
};

/** How long open calls may continue when the daemon stops, in ms. */
const drainMs = 5000;

/** Both PEM. The private key is a secret. */
export interface TlsPair {
  readonly certificate: string;
  readonly key: string;
}

export interface ListenerInit {
  readonly engine: H2Engine;
  readonly clock: Clock;
  readonly log: Logger;
  /** Limits the log lines that anonymous clients cause. */
  readonly anonymousLog: LogAllowance;
  readonly pair: TlsPair;
  onCall(call: InboundCall, peer: Peer): void;
}

export interface Listener extends AsyncDisposable {
  /** Resolves with the bound port; rejects with the system's error. */
  listen(address: { readonly host?: string; readonly port: number }): Promise<number>;
  /** Sets the certificate for new handshakes. Throws and keeps the last pair when this one is not usable. */
  setPair(pair: TlsPair): void;
}

const credentialsOf = (pair: TlsPair) => ({ ...pair, requestClientCertificate: false, clientCas: [] });

/** Opens a listener for TLS 1.3 without client certificates, with the limits for anonymous clients. */
export function openListener({ engine, clock, log, anonymousLog, pair, onCall }: ListenerInit): Listener {
  const connections = new Connections({ clock, limits: trustdLimits });
  const server = new GatewayServer<Peer>({
    engine,
    limits: anonymousLimits,
    handshakes: { inFlight: trustdLimits.handshakes, timeoutMs: trustdLimits.handshakeMs },
    credentials: credentialsOf(pair),
    admit: (handshake) => ({ admitted: true, peer: new Peer(handshake, clock.nowMs()) }),
    onConnection: (connection, peer) => connections.add(connection, peer),
    onCall,
    onRefused(reason, { remoteAddress }) {
      const linesLeftOut = anonymousLog.take(clock.nowMs());
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
