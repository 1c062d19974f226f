// The processes that `engines.ts` measures, and their backend. Each sends its port to the parent.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { collectNewObjects, openStandardOutput } from '@nodewright/daemon';
import {
  BackendPool,
  dialUnix,
  engineNamed,
  frameEngine,
  GatewayServer,
  gatewayLimits,
  type H2Engine,
  nodeEngine,
  Pump,
  poolTimeouts,
} from '@nodewright/h2';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { GatewayIdentity } from '../../../services/apid/src/domain/gateway-identity.ts';
import { openGateway } from '../../../services/apid/src/gateway/open-gateway.ts';
import { findFreePort } from './find-free-port.ts';

const loopback = '127.0.0.1';
/** A VersionResponse whose only message has a tag of 53 characters. */
const tag = 'v'.repeat(53);
const answer = Buffer.concat([
  Buffer.from([0, 0, 0, 0, tag.length + 6]),
  Buffer.from([0x0a, tag.length + 4, 0x12, tag.length + 2, 0x0a, tag.length]),
  Buffer.from(tag),
]);

/** What stands in the place of the gateway, from the most to the least work. */
export const gatewayKinds = ['apid', 'apid-silent', 'frames', 'frames-plain', 'node'] as const;
export type GatewayKind = (typeof gatewayKinds)[number];

/** Files with a certificate of the gateway and its key, both PEM. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

const readPem = ({ certificate, key }: CertificateFiles) => ({
  certificate: readFileSync(certificate, 'utf8'),
  key: readFileSync(key, 'utf8'),
});

/** How a backend answers. */
export const backendKinds = ['machined', 'constant'] as const;
export type BackendKind = (typeof backendKinds)[number];

/**
 * What a call costs machined beyond that of a stream of node:http2, in milliseconds. It decides how many answers a gateway
 * finds each time it wakes up.
 */
const machinedMs = 0.03;

/** The headers of machined's answers; `date` changes every second. */
const machinedHeaders = () => [
  ...[
    ':status',
    '200',
    'content-type',
    'application/grpc+proto',
    'grpc-accept-encoding',
    'identity,deflate,gzip',
  ],
  ...['grpc-encoding', 'identity', 'date', new Date().toUTCString()],
];

/** Answers every call on these unix sockets with a constant body. */
export async function serveBackends(kind: BackendKind, sockets: readonly string[]): Promise<void> {
  for (const socket of sockets) await serveBackend(kind, socket);
  process.send?.(0);
}

async function serveBackend(kind: BackendKind, socket: string): Promise<void> {
  const isMachined = kind === 'machined';
  const server = new GatewayServer<undefined>({
    engine: isMachined ? nodeEngine : frameEngine,
    limits: gatewayLimits,
    credentials: undefined,
    admit: () => ({ admitted: true, peer: undefined }),
    onCall(call) {
      call.receive({
        requestData() {},
        requestEnded() {
          if (isMachined) work(machinedMs);
          call.respond(
            isMachined ? machinedHeaders() : [':status', '200', 'content-type', 'application/grpc'],
          );
          call.write(answer);
          call.finish(['grpc-status', '0', 'grpc-message', 'OK']);
        },
        answerDrained() {},
        cancelled() {},
      });
      call.resume();
    },
    onRefused() {},
    onBroken() {},
  });
  await server.listen({ path: socket });
}

/** Uses the processor for some milliseconds. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

export async function serveGateway(
  kind: GatewayKind,
  socket: string,
  files: CertificateFiles,
): Promise<void> {
  switch (kind) {
    case 'apid':
      return serveApid('info', socket, files);
    case 'apid-silent':
      return serveApid('error', socket, files);
    case 'frames':
      return serveEngine(frameEngine, socket, files);
    case 'frames-plain':
      return serveEngine(frameEngine, socket, undefined);
    case 'node':
      return serveEngine(nodeEngine, socket, files);
  }
}

/** Forwards every call, with a field added as apid does, and decides nothing. */
async function serveEngine(
  engine: H2Engine,
  socket: string,
  files: CertificateFiles | undefined,
): Promise<void> {
  const pool = new BackendPool({
    engine,
    limits: gatewayLimits,
    ...poolTimeouts,
    now: () => performance.now(),
    random: Math.random,
  });
  const target = { key: 'backend', backoff: false, dial: (signal: AbortSignal) => dialUnix(socket, signal) };
  const server = new GatewayServer<undefined>({
    engine,
    limits: gatewayLimits,
    credentials:
      files === undefined ? undefined : { ...readPem(files), requestClientCertificate: false, clientCas: [] },
    admit: () => ({ admitted: true, peer: undefined }),
    async onCall(call) {
      const pump = new Pump({
        inbound: call,
        maxMessageBytes: 1e6,
        describe: () => ({ code: 14, message: 'failed' }),
        onDone() {},
      });
      const acquired = pool.acquire(target);
      const connection = acquired instanceof Promise ? await acquired : acquired;
      pump.start(connection, [...call.headers, 'talos-role', 'os:admin']);
    },
    onRefused() {},
    onBroken() {},
  });
  process.send?.(await server.listen({ host: loopback, port: 0 }));
}

/** All that apid does, in maintenance, where clients need no certificate. `level` is that of its log. */
async function serveApid(level: string, socket: string, files: CertificateFiles): Promise<void> {
  const identity = await identityWith(files);
  await openApid(level, { ...identity, nodeRoutingDisabled: true }, (signal) => dialUnix(socket, signal));
}

/** An apid whose nodes are unix sockets in this folder, named like the nodes. */
export async function serveFanOut(folder: string, files: CertificateFiles): Promise<void> {
  const identity = await identityWith(files);
  const dial = (signal: AbortSignal, node = '') => dialUnix(join(folder, node), signal);
  await openApid('info', { ...identity, nodeRoutingDisabled: false, client: identity.server }, dial);
}

async function identityWith(files: CertificateFiles): Promise<GatewayIdentity> {
  const server = readPem(files);
  return {
    listen: { host: loopback, port: await findFreePort() },
    nodeRoutingDisabled: true,
    readonlyRoleMode: true,
    skipVerifyingClientCert: true,
    waitsFor: undefined,
    server,
    client: undefined,
    acceptedCas: [server.certificate],
    hostname: 'bench',
    localTargets: new Set(),
    members: new Map(),
    sharedNames: new Map(),
  };
}

async function openApid(
  level: string,
  identity: GatewayIdentity,
  dial: (signal: AbortSignal, node?: string) => Promise<Socket>,
): Promise<void> {
  const destination = openStandardOutput('apid');
  const { follow } = openGateway(
    {
      engine: engineNamed('frames', { collectNewObjects }),
      telemetry: noTelemetry,
      log: createLogger({ name: 'apid', telemetry: noTelemetry, level, destination }),
      dialMachined: dial,
      dialNode: (_identity, node, signal) => dial(signal, node),
      onListening: (listening) => listening && process.send?.(identity.listen.port),
      drainTimeoutMs: 1000,
    },
    new AsyncDisposableStack(),
  );
  await follow(identity);
}
