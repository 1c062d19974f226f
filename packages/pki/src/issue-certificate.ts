import { createPublicKey, type KeyObject } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { buildCertificate } from './build-certificate.ts';
import type { CertificateAndKey } from './certificate-and-key.ts';
import { endOfLifetime } from './certificate-time.ts';
import { encodeName, type Subject } from './distinguished-name.ts';
import {
  alternativeNameExtensions,
  type ExtendedKeyUsage,
  extendedKeyUsageExtension,
  keyUsageExtension,
} from './extensions.ts';
import { openIssuer } from './open-issuer.ts';
import {
  encodePrivateKey,
  generateKey,
  type KeyPair,
  keyAlgorithmOf,
  loadPrivateKey,
} from './private-key.ts';
import { signatureAlgorithmOf } from './signature-algorithm.ts';

export interface CertificateInit {
  readonly issuer: CertificateAndKey;
  readonly subject: Subject;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** At least one. */
  readonly keyUsage: readonly ('digitalSignature' | 'keyEncipherment')[];
  /** At least one. */
  readonly extendedKeyUsage: readonly ExtendedKeyUsage[];
  readonly notBefore: Date;
  readonly lifetimeHours: number;
  /** PEM of the private key to certify. Default: a new key of the CA's key type. */
  readonly key?: string | undefined;
}

/**
 * Creates a leaf certificate, for a new key of the CA's key type unless a key is given. Source: Talos v1.14: certificate
 * primitives. Throws a Fault `invalid-argument` for an issuer whose key and certificate do not match, and for
 * an invalid name or address.
 */
export async function issueCertificate(init: CertificateInit): Promise<CertificateAndKey> {
  const { subject, dnsNames = [], ipAddresses = [], keyUsage, extendedKeyUsage } = init;
  if (keyUsage.length === 0 || extendedKeyUsage.length === 0) {
    throw new Fault('invalid-argument', 'a certificate needs a key usage and an extended key usage');
  }
  const issuer = openIssuer(init.issuer);
  const name = encodeName(subject);
  const subjectIsEmpty = name.value.length === 0;
  const extensions = [
    keyUsageExtension(keyUsage),
    extendedKeyUsageExtension(extendedKeyUsage),
    ...issuer.authorityKeyIdentifier,
    ...alternativeNameExtensions({ dnsNames, ipAddresses }, subjectIsEmpty),
  ];
  const { publicKey, privateKey } = await keyPairOf(init.key, issuer.key);
  const certificate = buildCertificate(
    {
      subject: name,
      issuer: issuer.name,
      notBefore: init.notBefore,
      notAfter: endOfLifetime(init.notBefore, init.lifetimeHours),
      publicKey,
      extensions,
    },
    signatureAlgorithmOf(issuer.key),
    issuer.key,
  );
  return { certificate, key: encodePrivateKey(privateKey) };
}

async function keyPairOf(pem: string | undefined, issuerKey: KeyObject): Promise<KeyPair> {
  if (pem === undefined) return generateKey(keyAlgorithmOf(issuerKey));
  const privateKey = loadPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
