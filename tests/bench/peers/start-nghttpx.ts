import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { metadataKeys, roles } from '@nodewright/contract';
import { gatewayLimits } from '@nodewright/h2';
import type { CertificateAndKey } from '@nodewright/pki';
import { eventually } from '@nodewright/testkit';
import { gatewayName } from '../cluster.ts';
import { canConnect } from '../time-to-listen.ts';
import type { Nghttpx } from './find-nghttpx.ts';

export interface NghttpxInit {
  readonly program: Nghttpx;
  /** A folder of its own for certificates and its log; the caller removes it. */
  readonly folder: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** A unix socket, or another gateway that wants a client certificate. */
  readonly backend: { readonly path: string } | { readonly host: string; readonly port: number };
  readonly ca: string;
  readonly server: CertificateAndKey;
  readonly client: CertificateAndKey;
}

/** A gateway's process. */
export interface GatewayProcess extends AsyncDisposable {
  readonly pid: number;
}

const startTimeoutMs = 5000;

/** Versions with OCSP query the issuer of their certificate over the network unless that is disabled. */
function asksIssuers({ path, environment }: Nghttpx): boolean {
  const help = execFileSync(path, ['--help'], { encoding: 'utf8', env: { ...process.env, ...environment } });
  return help.includes('--no-ocsp');
}

/**
 * nghttpx in apid's place: TLS 1.3, a client certificate of the cluster required, the caller's role in the metadata,
 * apid's windows. It looks at no role, routes nothing and writes no log line a request. Throws when it does not start.
 */
export async function startNghttpx(init: NghttpxInit): Promise<GatewayProcess> {
  const { program, folder, listen, backend } = init;
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const ca = write('ca.pem', init.ca);
  const key = write('server.key', init.server.key);
  const certificate = write('server.pem', init.server.certificate);
  const to =
    'path' in backend
      ? `unix:${backend.path};;proto=h2`
      : `${backend.host},${backend.port};;proto=h2;tls;sni=${gatewayName}`;
  const windows = ['frontend', 'backend'].flatMap((side) => [
    `--${side}-http2-window-size=${gatewayLimits.streamWindowBytes}`,
    `--${side}-http2-connection-window-size=${gatewayLimits.connectionWindowBytes}`,
  ]);
  const args = [
    '--conf=/dev/null',
    '--single-process',
    '--workers=1',
    ...(asksIssuers(program) ? ['--no-ocsp'] : []),
    `--frontend=${listen.host},${listen.port}`,
    `--backend=${to}`,
    '--tls-min-proto-version=TLSv1.3',
    '--verify-client',
    `--verify-client-cacert=${ca}`,
    `--cacert=${ca}`,
    `--client-cert-file=${write('client.pem', init.client.certificate)}`,
    `--client-private-key-file=${write('client.key', init.client.key)}`,
    `--add-request-header=${metadataKeys.role}:${roles.admin}`,
    '--no-via',
    '--no-add-x-forwarded-proto',
    `--errorlog-file=${join(folder, 'error.log')}`,
    ...windows,
    key,
    certificate,
  ];
  const child = spawn(program.path, args, {
    env: { ...process.env, ...program.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'spawn');
  const exited = once(child, 'exit');
  const gateway: GatewayProcess = {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
  try {
    const listening = eventually(() => canConnect(listen), {
      what: 'listening nghttpx',
      timeoutMs: startTimeoutMs,
    });
    // One of the two promises still has to reject; nothing else handles that.
    listening.catch(() => {});
    await Promise.race([
      listening,
      exited.then(() => {
        throw new Error(`nghttpx ended: ${said.trim().split('\n')[0]}`);
      }),
    ]);
    return gateway;
  } catch (error) {
    await gateway[Symbol.asyncDispose]();
    throw error;
  }
}
