import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { unlessAborted } from '@nodewright/async';
import {
  type ClientConnection,
  frameEngine,
  gatewayLimits,
  type InboundCall,
  type ServerConnection,
} from '@nodewright/h2';
import { openSocketPair } from '@nodewright/h2/conformance';
import {
  type CertificateAndKey,
  generateCertificateAuthority,
  issueCertificate,
  tlsPrivateKey,
} from '@nodewright/pki';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { GatewayIdentity, GatewayKeyPair } from '../../domain/gateway-identity.ts';
import type { Gateway } from '../gateway.ts';
import { clientLimits } from '../http2-limits.ts';
import { type OpenGatewayInit, openGateway } from '../open-gateway.ts';
import { serveCall } from '../serve-call.ts';

const host = '127.0.0.1';

/** A backend in this process: machined, or the apid of another node. */
export class RigBackend {
  readonly calls: InboundCall[] = [];
  readonly connections: ServerConnection[] = [];
  readonly #onCall: (call: InboundCall) => void;

  /** @param onCall serves each call */
  constructor(onCall: (call: InboundCall) => void) {
    this.#onCall = onCall;
  }

  async dial() {
    const { near, far } = await openSocketPair();
    const onCall = (call: InboundCall) => {
      this.calls.push(call);
      this.#onCall(call);
    };
    this.connections.push(frameEngine.accept(far, gatewayLimits, { onCall, onError() {} }));
    return near;
  }
}

/** Dials a node without power: nothing refuses the connection, and nothing answers. */
export const dialDead = (signal: AbortSignal) =>
  unlessAborted(Promise.withResolvers<Socket>().promise, signal);

/** A gateway that listens with TLS, between clients with certificates and backends of a test. */
export interface GatewayRig {
  readonly identity: GatewayIdentity;
  /** The gateway as the last call saw it. */
  readonly seen: () => Gateway | undefined;
  /** Connects a client with a certificate of its own; each is a caller of its own. */
  connect(...roles: string[]): Promise<ClientConnection>;
  /** The same with a certificate that ends after so many hours, of which one has passed. */
  connectFor(lifetimeHours: number, ...roles: string[]): Promise<ClientConnection>;
  /** Issues a certificate with which the gateway connects to other nodes. */
  issueClient(lifetimeHours?: number): Promise<GatewayKeyPair>;
  /** Puts this identity in force, with the changes. */
  follow(changes: Partial<GatewayIdentity>): Promise<void>;
}

const pairOf = ({ certificate, key }: CertificateAndKey): GatewayKeyPair => ({
  certificate,
  key: tlsPrivateKey(key),
});

/** Opens a gateway that listens; it closes with `scope`. */
export async function openGatewayRig(
  init: Pick<OpenGatewayInit, 'dialMachined' | 'dialNode'>,
  scope: AsyncDisposableStack,
): Promise<GatewayRig> {
  const notBefore = new Date(Date.now() - 3_600_000);
  const issuer = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore,
  });
  const issue = async (
    use: 'serverAuth' | 'clientAuth',
    organizations: readonly string[],
    lifetimeHours = 24,
  ) =>
    pairOf(
      await issueCertificate({
        ...{ issuer, notBefore, lifetimeHours, keyUsage: ['digitalSignature'], extendedKeyUsage: [use] },
        ...{ subject: { organizations }, ipAddresses: [host] },
      }),
    );
  const issueClient = (lifetimeHours?: number) => issue('clientAuth', ['os:impersonator'], lifetimeHours);
  /** What the gateway logs until it listens. */
  const lines: string[] = [];
  let port = 0;
  let gateway: Gateway | undefined;
  const { follow } = openGateway(
    {
      ...init,
      engine: frameEngine,
      telemetry: noTelemetry,
      log: createLogger({
        name: 'apid',
        telemetry: noTelemetry,
        destination: { write: (line) => port === 0 && lines.push(line) },
      }),
      onListening: () => {},
      drainTimeoutMs: 0,
      onCall(seen, ...call) {
        gateway = seen;
        serveCall(seen, ...call);
      },
    },
    scope,
  );
  const identity: GatewayIdentity = {
    ...{ listen: { host, port: 0 }, server: await issue('serverAuth', []), client: await issueClient() },
    ...{ nodeRoutingDisabled: false, readonlyRoleMode: false, skipVerifyingClientCert: false },
    waitsFor: undefined,
    ...{ acceptedCas: [issuer.certificate], hostname: 'node01', localTargets: new Set<string>() },
    ...{ members: new Map(), sharedNames: new Map() },
  };
  await follow(identity);
  port = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'gateway listens').port;
  const connectFor: GatewayRig['connectFor'] = async (lifetimeHours, ...roles) => {
    const { certificate, key } = await issue('clientAuth', roles, lifetimeHours);
    const socket = connect({
      ...{ host, port, ca: issuer.certificate, cert: certificate, key, ALPNProtocols: ['h2'] },
    });
    await once(socket, 'secureConnect');
    const connection = frameEngine.connect(socket, clientLimits);
    scope.defer(() => connection.destroy());
    await connection.ready;
    return connection;
  };
  return {
    identity,
    seen: () => gateway,
    connect: (...roles) => connectFor(24, ...roles),
    connectFor,
    issueClient,
    follow: (changes) => follow({ ...identity, ...changes }),
  };
}
