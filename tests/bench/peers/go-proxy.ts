// A gateway on grpc-go that does the least of what apid does: its source is beside this file, in go-proxy/.
import { join } from 'node:path';
import { buildCaches, ensureProgram, type GoProgram, goRelease } from '@nodewright/build/go';
import { maxMessageSizeBytes, metadataKeys, roles } from '@nodewright/contract';
import { gatewayLimits } from '@nodewright/h2';
import type { CertificateAndKey } from '@nodewright/pki';
import { type GatewayProcess, secretWriter, startPeer } from './start-peer.ts';

const program = {
  name: 'bench-go-proxy',
  version: 'v1.85.0',
  files: ['go.mod', 'go.sum', 'main.go'],
  flags: ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w'],
  package: '.',
  toolchain: goRelease,
  // Any Go from there on can fetch the exact one.
  leastGoMinor: 21,
} as const satisfies GoProgram;

export interface GoProxy {
  readonly path: string;
  /** Of grpc-go and of Go. */
  readonly version: string;
}

/** Finds the program in a cache or builds it. Returns the reason if it cannot be built. */
export function findGoProxy(checkout: string, note: (line: string) => void): GoProxy | string {
  try {
    const { path } = ensureProgram({
      program,
      wrapper: join(import.meta.dirname, 'go-proxy'),
      caches: buildCaches(checkout, process.env),
      environment: process.env,
      note,
    });
    return { path, version: `grpc-go ${program.version}, ${goRelease.version}` };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export interface GoProxyInit {
  readonly program: GoProxy;
  /** A folder of its own for certificates; the caller removes it. */
  readonly folder: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** The node's unix socket. */
  readonly backend: string;
  readonly ca: string;
  readonly server: CertificateAndKey;
}

/** The proxy in apid's place, with apid's windows and the caller's role in the metadata. Throws when it does not start. */
export function startGoProxy({
  program: { path },
  folder,
  listen,
  backend,
  ca,
  server,
}: GoProxyInit): Promise<GatewayProcess> {
  const write = secretWriter(folder);
  const flags = {
    listen: `${listen.host}:${listen.port}`,
    backend,
    certificate: write('server.pem', server.certificate),
    key: write('server.key', server.key),
    ca: write('ca.pem', ca),
    role: `${metadataKeys.role}=${roles.admin}`,
    'stream-window': gatewayLimits.streamWindowBytes,
    'connection-window': gatewayLimits.connectionWindowBytes,
    'max-message': maxMessageSizeBytes,
  };
  const args = Object.entries(flags).map(([name, value]) => `-${name}=${value}`);
  return startPeer({ name: 'the Go proxy', path, args, environment: {}, listen });
}
