import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { metadataKeys, roles } from '@nodewright/contract';
import { gatewayLimits } from '@nodewright/h2';
import type { CertificateAndKey } from '@nodewright/pki';
import { gatewayName } from '../cluster.ts';
import type { Nghttpx } from './find-nghttpx.ts';
import { type GatewayProcess, secretWriter, startPeer } from './start-peer.ts';

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
  const write = secretWriter(folder);
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
  return startPeer({ name: 'nghttpx', path: program.path, args, environment: program.environment, listen });
}
