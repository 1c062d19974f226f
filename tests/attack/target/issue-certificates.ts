import { roles } from '@nodewright/contract';
import {
  type CertificateInit,
  generateCertificateAuthority,
  issueCertificate,
  tlsPrivateKey,
} from '@nodewright/pki';
import type { Credentials } from '../wire/raw-connection.ts';
import { type CertificateKind, certificateKinds } from './attack-target.ts';

type Issuer = CertificateInit['issuer'];

const hourMs = 3_600_000;
/** More than all attacks take on a busy machine: after an hour the last checks were refused for their certificate. */
export const clientHours = 6;

const organizationsOf: Readonly<Record<CertificateKind, readonly string[]>> = {
  'no-role': [],
  'unknown-role': ['os:future'],
  reader: [roles.reader],
  operator: [roles.operator],
  'etcd-backup': [roles.etcdBackup],
  'image-verifier': [roles.imageVerifier],
  'meta-writer': [roles.metaWriter],
  impersonator: [roles.impersonator],
  admin: [roles.admin],
  'foreign-admin': [roles.admin],
  'expired-admin': [roles.admin],
  'server-admin': [roles.admin],
};

/** Issues one certificate of each kind, all by the cluster's CA except the foreign one. */
export async function issueCertificates(
  issuer: Issuer,
  now: Date,
): Promise<Record<CertificateKind, Credentials>> {
  const foreign = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore: new Date(now.getTime() - 2 * hourMs),
  });
  const entries = certificateKinds.map(async (kind) => {
    const changes: Partial<CertificateInit> = {
      ...(kind === 'foreign-admin' && { issuer: foreign }),
      ...(kind === 'expired-admin' && { notBefore: new Date(now.getTime() - 2 * hourMs), lifetimeHours: 1 }),
      ...(kind === 'server-admin' && { extendedKeyUsage: ['serverAuth'] as const }),
    };
    return [kind, await issueClient(issuer, organizationsOf[kind], now, changes)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<CertificateKind, Credentials>;
}

/** A client certificate with these organisations, valid for `clientHours` from five minutes before `now`. */
export async function issueClient(
  issuer: Issuer,
  organizations: readonly string[],
  now: Date,
  changes: Partial<CertificateInit> = {},
): Promise<Credentials> {
  const { certificate, key } = await issueCertificate({
    issuer,
    subject: { organizations },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(now.getTime() - hourMs / 12),
    lifetimeHours: clientHours,
    ...changes,
  });
  return { certificate, key: tlsPrivateKey(key) };
}
