import { randomBytes } from 'node:crypto';
import { buildCertificate } from './build-certificate.ts';
import type { CertificateAndKey } from './certificate-and-key.ts';
import { endOfLifetime } from './certificate-time.ts';
import { encodeName } from './distinguished-name.ts';
import {
  alternativeNameExtensions,
  certificateAuthorityExtension,
  extendedKeyUsageExtension,
  keyUsageExtension,
  subjectKeyIdentifierExtension,
} from './extensions.ts';
import { encodePrivateKey, generateKey, type KeyAlgorithm } from './private-key.ts';
import { signatureAlgorithmOf } from './signature-algorithm.ts';

const tenYearsInHours = 87_600;
const keyIdentifierBytes = 20;

export interface CertificateAuthorityInit {
  readonly algorithm: KeyAlgorithm;
  /** Undefined for an empty subject, as that of the aggregator's CA of upstream. */
  readonly organization?: string;
  /** Names and addresses for a CA whose certificate a server also uses itself. */
  readonly ipAddresses?: readonly string[];
  readonly notBefore: Date;
  /** Default 87,600: ten years. */
  readonly lifetimeHours?: number;
}

/**
 * Creates a self-signed certificate authority with a new key. Source: Talos v1.14: certificate primitives.
 */
export async function generateCertificateAuthority(
  init: CertificateAuthorityInit,
): Promise<CertificateAndKey> {
  const { publicKey, privateKey } = await generateKey(init.algorithm);
  const name = encodeName(init.organization === undefined ? {} : { organizations: [init.organization] });
  const certificate = buildCertificate(
    {
      subject: name,
      issuer: name,
      notBefore: init.notBefore,
      notAfter: endOfLifetime(init.notBefore, init.lifetimeHours ?? tenYearsInHours),
      publicKey,
      extensions: [
        keyUsageExtension(['digitalSignature', 'certSign']),
        extendedKeyUsageExtension(['serverAuth', 'clientAuth']),
        certificateAuthorityExtension(),
        subjectKeyIdentifierExtension(randomBytes(keyIdentifierBytes)),
        ...alternativeNameExtensions(
          { dnsNames: [], ipAddresses: init.ipAddresses ?? [] },
          name.value.length === 0,
        ),
      ],
    },
    signatureAlgorithmOf(privateKey),
    privateKey,
  );
  return { certificate, key: encodePrivateKey(privateKey) };
}
