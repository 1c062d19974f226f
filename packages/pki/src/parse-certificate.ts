import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { decodeName, type SubjectInfo } from './distinguished-name.ts';
import { decodeBasicConstraints, decodeExtendedKeyUsage } from './extensions.ts';
import { objectIdentifiers } from './object-identifiers.ts';
import { type CertificateSource, readCertificate, readCertificateStructure } from './read-certificate.ts';
import { type AlternativeNames, decodeAlternativeNames } from './subject-alternative-name.ts';

/** The contents of a certificate as plain data. */
export interface CertificateInfo extends AlternativeNames {
  readonly subject: SubjectInfo;
  readonly issuer: SubjectInfo;
  /** Upper-case hexadecimal without leading zeros. */
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly isCa: boolean;
  /** `serverAuth`, `clientAuth`, or the dotted identifier of another usage; empty without the extension. */
  readonly extendedKeyUsage: readonly string[];
  /** base64 of the SHA-256 of the SubjectPublicKeyInfo. */
  readonly publicKeyFingerprint: string;
}

const what = 'failed to read the certificate';

function publicKeyOf(certificate: X509Certificate): KeyObject {
  try {
    return certificate.publicKey;
  } catch (error) {
    throw new Fault('invalid-argument', `${what}: its public key is malformed`, { cause: error });
  }
}

/** base64 of the SHA-256 of a key's SubjectPublicKeyInfo. Source: Talos v1.14: fingerprints. */
export function publicKeyFingerprint(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}

/**
 * Parses a certificate (the first one of a PEM text). Throws a Fault `invalid-argument` for malformed input.
 */
export function parseCertificate(source: CertificateSource): CertificateInfo {
  const certificate = readCertificate(source);
  const { subject, issuer, extensions } = readCertificateStructure(certificate);
  const extensionValue = (id: string) => extensions.find((extension) => extension.id === id)?.value;
  const alternativeNames = extensionValue(objectIdentifiers.subjectAltName);
  const extendedKeyUsage = extensionValue(objectIdentifiers.extendedKeyUsage);
  const basicConstraints = extensionValue(objectIdentifiers.basicConstraints);
  return {
    subject: decodeName(subject),
    issuer: decodeName(issuer),
    serial: certificate.serialNumber,
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
    isCa: basicConstraints !== undefined && decodeBasicConstraints(basicConstraints, what).isCa,
    extendedKeyUsage: extendedKeyUsage === undefined ? [] : decodeExtendedKeyUsage(extendedKeyUsage, what),
    ...(alternativeNames === undefined
      ? { dnsNames: [], ipAddresses: [] }
      : decodeAlternativeNames(alternativeNames)),
    publicKeyFingerprint: publicKeyFingerprint(publicKeyOf(certificate)),
  };
}
