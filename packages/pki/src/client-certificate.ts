// Checks of a client certificate, for the client before it connects and for the server that receives it.
import type { X509Certificate } from 'node:crypto';
import { objectIdentifiers } from './object-identifiers.ts';
import { type CertificateSource, readCertificate, readCertificates } from './read-certificate.ts';

/**
 * Why servers would refuse a client certificate, as far as the client can find out. The text is for people.
 */
export interface ClientCertificateProblem {
  readonly kind: 'missing' | 'expired' | 'not-yet-valid' | 'usage' | 'wrong-ca';
  readonly text: string;
}

export interface ClientCertificateCheck {
  /** PEM; undefined or empty when the client has no certificate. */
  readonly certificate: string | undefined;
  /** PEM of the CAs that the server accepts; undefined: unknown, so not checked. */
  readonly ca: string | undefined;
  readonly now: Date;
}

/**
 * Whether `clientAuth` is the only extended key usage. A certificate that may also be used by a server is not
 * a client certificate. Source: Talos v1.14: extra leaf check of apid.
 */
export function hasExactClientAuthUsage(source: CertificateSource): boolean {
  // Node's name is misleading: this property has the extended key usages, as dotted identifiers.
  const usages = readCertificate(source).keyUsage ?? [];
  return usages.length === 1 && usages[0] === objectIdentifiers.clientAuth;
}

/**
 * Whether one of `authorities` signed the certificate. It checks names and signature, not the validity
 * period.
 */
export function isIssuedBy(certificate: X509Certificate, authorities: readonly X509Certificate[]): boolean {
  return authorities.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
}

/**
 * The first reason why a server would refuse the certificate, or undefined. Throws a Fault `invalid-argument`
 * when the certificate or the CA cannot be parsed.
 */
export function clientCertificateProblem(
  check: ClientCertificateCheck,
): ClientCertificateProblem | undefined {
  const { certificate: pem, ca, now } = check;
  if (pem === undefined || pem.trim() === '')
    return { kind: 'missing', text: 'there is no client certificate' };
  const certificate = readCertificate(pem);
  if (ca !== undefined && !isIssuedBy(certificate, readCertificates(ca))) {
    return { kind: 'wrong-ca', text: 'the client certificate was not issued by the CA of the context' };
  }
  const { validFromDate: start, validToDate: end } = certificate;
  if (now > end) return { kind: 'expired', text: `the client certificate expired at ${end.toISOString()}` };
  if (now < start) {
    return {
      kind: 'not-yet-valid',
      text: `the client certificate is not valid before ${start.toISOString()}`,
    };
  }
  if (!hasExactClientAuthUsage(certificate)) {
    return { kind: 'usage', text: 'the client certificate is not for client authentication alone' };
  }
  return undefined;
}
