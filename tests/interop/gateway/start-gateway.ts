import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { h2EngineVariable } from '@nodewright/contract';
import { defaultEngineName } from '@nodewright/h2';
import { tlsPrivateKey } from '@nodewright/pki';
import { type DaemonProcess, spawnDaemon } from '@nodewright/testkit';
import { Authority } from '../../contract/apid/harness/authority.ts';
import type { GatewayJob, KeyPair } from './gateway-job.ts';

/** The name that the certificates of all test gateways have. */
export const gatewayName = 'gateway.test';
/** The engine under test, chosen as apid's. */
export const engineName = process.env[h2EngineVariable] || defaultEngineName;

export interface StartGatewayInit {
  readonly authority: Authority;
  /** A folder of its own; the caller removes it. */
  readonly folder: string;
  /** The unix socket of its backend. */
  readonly backend: string;
  /** Whether clients need no certificate. */
  readonly isOpen?: boolean;
  /** Whether it answers every request itself, with a body. */
  readonly answersBodies?: boolean;
  /** A gateway that calls can name by `node`. */
  readonly next?: TestGateway;
}

export interface TestGateway extends AsyncDisposable {
  readonly port: number;
  readonly process: DaemonProcess;
  /** The authority of its certificate, as a file. */
  readonly caFile: string;
  /** Options of a connection by a client that may call everything. */
  readonly tls: ConnectionOptions;
}

/** Starts apid's data path as a process of its own, which forwards only the methods of grpc.testing. */
export async function startGateway(init: StartGatewayInit): Promise<TestGateway> {
  const { authority, folder, backend, isOpen = false, answersBodies = false, next } = init;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const server = keyPair(await authority.server(gatewayName, '127.0.0.1'));
  const job: GatewayJob = {
    engine: engineName,
    name: 'test-gateway',
    backend,
    server,
    client: keyPair(await authority.impersonator()),
    ca: authority.certificate,
    isOpen,
    answersBodies,
    peers: next === undefined ? [] : [gatewayName],
    peerPort: next?.port ?? 0,
  };
  const [jobFile, caFile] = [join(folder, 'job.json'), join(folder, 'ca.pem')];
  writeFileSync(jobFile, JSON.stringify(job), { mode: 0o600 });
  writeFileSync(caFile, authority.certificate);
  const program = join(import.meta.dirname, 'run-gateway.ts');
  const process = await spawnDaemon({ name: 'apid', program, args: [jobFile] });
  const { port } = await process.waitForLine('gateway listens');
  const client = isOpen ? {} : await authority.client('os:admin');
  return {
    port: Number(port),
    process,
    caFile,
    tls: {
      host: '127.0.0.1',
      port: Number(port),
      servername: gatewayName,
      ca: authority.certificate,
      ALPNProtocols: ['h2'],
      ...client,
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

function keyPair({ certificate, key }: KeyPair): KeyPair {
  return { certificate, key: tlsPrivateKey(key) };
}

export { Authority };
