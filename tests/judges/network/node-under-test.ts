// The node that judges of the network look at: a control plane of processes, on an address of loopback.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ports } from '@nodewright/contract';
import { decodeSecrets, type SecretsBundle } from '@nodewright/machine-config';
import { issueCertificate } from '@nodewright/pki';
import { openProcessCluster } from '../../cluster/process/process-cluster.ts';
import type { Bench } from '../bench.ts';

/** A server that speaks TLS. */
export interface Listener {
  readonly name: string;
  readonly address: string;
  readonly port: number;
}

/** A certificate and the one that has signed it, both as PEM. */
export interface IssuedCertificate {
  readonly name: string;
  readonly certificate: string;
  readonly authority: string;
  /** As openssl calls it: `sslserver`; none for an authority. */
  readonly purpose?: 'sslserver' | 'sslclient';
}

export interface NodeUnderTest {
  readonly listeners: readonly Listener[];
  readonly certificates: readonly IssuedCertificate[];
}

/** Starts the node with the first judge that asks for it. */
export function nodeUnderTest(bench: Bench): Promise<NodeUnderTest> {
  return bench.once('node', async (scope) => {
    const shape = { controlPlanes: 1, workers: 0 };
    const cluster = scope.use(await openProcessCluster(shape, { name: 'judges' }));
    const address = cluster.controlPlanes[0]?.address ?? '';
    const { certs } = decodeSecrets(await readFile(join(cluster.view.folder, 'secrets.yaml'), 'utf8'));
    const listeners = [
      { name: 'apid', address, port: ports.apid },
      { name: 'trustd', address, port: ports.trustd },
    ];
    const authority = certs.os.certificate;
    const served = await Promise.all(
      listeners.map(async (listener) => ({
        name: listener.name,
        certificate: await servedCertificate(listener),
        authority,
        purpose: 'sslserver' as const,
      })),
    );
    const client = await cluster.context('os:admin');
    return {
      listeners,
      certificates: [
        ...served,
        {
          name: 'administrator',
          certificate: Buffer.from(client.crt ?? '', 'base64').toString(),
          authority,
          purpose: 'sslclient',
        },
        ...(await certificatesOf(certs)),
      ],
    };
  });
}

/** Each authority, and a certificate that it signs, because openssl is strict only about authorities that have signed something. */
async function certificatesOf(certs: SecretsBundle['certs']): Promise<IssuedCertificate[]> {
  const { os, kubernetes, etcd, kubernetesAggregator } = certs;
  const authorities = Object.entries({ os, kubernetes, etcd, aggregator: kubernetesAggregator });
  const issued = authorities.map(async ([name, issuer]): Promise<IssuedCertificate[]> => {
    const { certificate } = await issueCertificate({
      ...{ issuer, subject: { commonName: 'judged' }, notBefore: new Date(), lifetimeHours: 1 },
      ...{ keyUsage: ['digitalSignature'], extendedKeyUsage: ['clientAuth'] },
    });
    const authority = issuer.certificate;
    return [
      { name: `authority ${name}`, certificate: authority, authority },
      { name: `signed by ${name}`, certificate, authority, purpose: 'sslclient' },
    ];
  });
  return (await Promise.all(issued)).flat();
}

async function servedCertificate({ address, port }: Listener): Promise<string> {
  const words = ['s_client', '-connect', `${address}:${port}`];
  const run = promisify(execFile)('openssl', words, { timeout: 60_000 });
  run.child.stdin?.end();
  // It ends with 1, because it has no certificate of its own to show.
  const { stdout } = await run.catch((error: { readonly stdout?: string }) => ({
    stdout: error.stdout ?? '',
  }));
  const [pem] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(stdout) ?? [];
  if (pem === undefined) throw new Error(`${address}:${port} has shown no certificate`);
  return `${pem}\n`;
}
