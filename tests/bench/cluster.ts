import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodePaths, ports, roles } from '@nodewright/contract';
import { type CertificateAndKey as ConfigPair, decodeSecrets } from '@nodewright/machine-config';
import { type CertificateAndKey, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { openProvisioner, type Progress } from '@nodewright/provision';
import { noTelemetry } from '@nodewright/telemetry';
import type { LoadTarget } from './load/load-job.ts';
import { findProcesses } from './process-memory.ts';

export interface BenchNode {
  readonly name: string;
  readonly address: string;
  readonly root: string;
  readonly machinedSocket: string;
  /** Process ids. Workers have no trustd. */
  readonly pids: { readonly machined: number; readonly apid: number; readonly trustd: number | undefined };
}

/** A cluster of real daemons for the benchmark only. Disposing it stops and removes it. */
export interface BenchCluster extends AsyncDisposable {
  readonly nodes: readonly BenchNode[];
  /** The folder of its bundles: a copy, because a build may replace the originals meanwhile. */
  readonly distFolder: string;
  /** PEM of the CA, and of an administrator's client certificate. */
  readonly ca: string;
  readonly client: CertificateAndKey;
  readonly secondsToCreate: number;
  /** A free address in the cluster's range, for a gateway next to the nodes, and a certificate for it. */
  reserveGateway(): Promise<{
    readonly host: string;
    readonly port: number;
    readonly server: CertificateAndKey;
  }>;
  /** How the load client reaches a gateway. */
  target(host: string, port?: number): LoadTarget;
}

export interface BenchClusterInit {
  readonly distFolder: string;
  /**
   * Folder for all files of the cluster; the caller removes it. Keep it short, because unix sockets are below
   * it.
   */
  readonly workspace: string;
  readonly controlPlanes: number;
  readonly workers: number;
  readonly signal: AbortSignal;
}

const quiet: Progress = { step: (_name, body) => body(() => {}), note: () => {} };
/** A name in the certificate of every benchmark gateway, for clients that do not verify addresses. */
export const gatewayName = 'gateway';
/** Nodes are numbered from .2 on; benchmark gateways use much higher addresses. */
const firstGatewayHost = 200;
/** Maximum length of a unix socket's address. */
const maxSocketPathBytes = 107;

export async function openCluster(init: BenchClusterInit): Promise<BenchCluster> {
  const distFolder = join(init.workspace, 'dist');
  cpSync(init.distFolder, distFolder, { recursive: true });
  const provisioner = openProvisioner('process', {
    distFolder,
    nodeBinary: process.execPath,
    environment: daemonEnvironment(),
    telemetry: noTelemetry,
    now: () => new Date(),
  });
  const ref = { name: 'bench', clustersFolder: join(init.workspace, 'clusters') };
  await using undo = new AsyncDisposableStack();
  undo.defer(() => provisioner.destroy(ref, { force: true }, quiet).catch(() => {}));
  const { cluster, seconds } = await provisioner.create(
    {
      ...ref,
      shape: { controlPlanes: init.controlPlanes, workers: init.workers },
      cidr: undefined,
      patches: { all: [], controlPlanes: [], workers: [] },
      talosconfig: join(init.workspace, 'talosconfig'),
      ifAbsent: false,
      bootstrap: false,
    },
    quiet,
    init.signal,
  );
  const { os } = decodeSecrets(readFileSync(join(cluster.folder, 'secrets.yaml'), 'utf8')).certs;
  const client = await issue(os, { organizations: [roles.admin] }, 'clientAuth', []);
  let reserved = 0;
  const destroy = undo.move();
  return {
    nodes: cluster.nodes.map(({ name, address }) => describeNode(cluster.folder, name, address)),
    distFolder,
    ca: os.certificate,
    client,
    secondsToCreate: seconds,
    async reserveGateway() {
      const host = cluster.network.gateway.replace(/\d+$/, String(firstGatewayHost + reserved));
      reserved += 1;
      return {
        host,
        port: ports.apid,
        server: await issue(os, { commonName: gatewayName }, 'serverAuth', [host]),
      };
    },
    target: (host, port = ports.apid) => ({ kind: 'tls', host, port, ca: os.certificate, ...client }),
    [Symbol.asyncDispose]: () => destroy.disposeAsync(),
  };
}

function describeNode(folder: string, name: string, address: string): BenchNode {
  const root = join(folder, 'nodes', name);
  const pidOf = (daemon: string) => findProcesses(`${daemon}.cjs`, root)[0]?.pid;
  const machinedSocket = join(root, nodePaths.machinedSocket);
  if (Buffer.byteLength(machinedSocket) > maxSocketPathBytes) {
    throw new Error(`${machinedSocket} is too long for nghttpx: set TMPDIR to a shorter folder`);
  }
  const [machined, apid] = [pidOf('machined'), pidOf('apid')];
  if (machined === undefined || apid === undefined) throw new Error(`${name} lacks a daemon`);
  return {
    name,
    address,
    root,
    machinedSocket,
    pids: { machined, apid, trustd: pidOf('trustd') },
  };
}

async function issue(
  issuer: ConfigPair,
  subject: Parameters<typeof issueCertificate>[0]['subject'],
  usage: 'clientAuth' | 'serverAuth',
  ipAddresses: readonly string[],
): Promise<CertificateAndKey> {
  const { certificate, key } = await issueCertificate({
    issuer,
    subject,
    ipAddresses,
    ...(usage === 'serverAuth' ? { dnsNames: [gatewayName] } : {}),
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: [usage],
    notBefore: new Date(),
    lifetimeHours: 1,
  });
  return { certificate, key: tlsPrivateKey(key) };
}

/** Without variables that make the daemons export traces or run with unusual flags. */
function daemonEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('OTEL_') && !name.startsWith('NODE_')),
  );
}
