import type { X509Certificate } from 'node:crypto';
import { faultFrom } from '@nodewright/fault';
import { type CertificateInfo, parseCertificate } from '@nodewright/pki';
import { parseRoles } from './roles.ts';

export type CertificateVerdict =
  | {
      readonly accepted: true;
      /** The organisations of the subject, as roles: trimmed, sorted, without repeats. */
      readonly organizations: readonly string[];
    }
  | { readonly accepted: false; readonly reason: string };

const unknownAuthority = 'client certificate is not issued by an accepted authority';

/**
 * Judges the certificate of a client. `verifyError` is OpenSSL's name for what it found wrong with the chain; on top of
 * that the usage must be client authentication and nothing else. The reasons are for a log.
 * Source: Talos v1.14: TLS of apid, extra leaf check.
 */
export function judgeClientCertificate(
  certificate: X509Certificate | undefined,
  verifyError: string | undefined,
): CertificateVerdict {
  if (certificate === undefined) return refuse('client sent no certificate');
  let info: CertificateInfo;
  try {
    info = parseCertificate(certificate);
  } catch (error) {
    return refuse(`client certificate cannot be read: ${faultFrom(error).message}`);
  }
  if (verifyError !== undefined) return refuse(describeVerifyError(verifyError, info));
  // Authorities are not held to a usage of their own.
  const [usage, ...others] = info.extendedKeyUsage;
  if (!info.isCa && (usage !== 'clientAuth' || others.length > 0)) {
    return refuse(
      `client certificate must have the usage clientAuth and no other, it has ${usagesText(info)}`,
    );
  }
  return { accepted: true, organizations: parseRoles(info.subject.organizations) };
}

function usagesText({ extendedKeyUsage }: CertificateInfo): string {
  return extendedKeyUsage.length === 0 ? 'none' : extendedKeyUsage.join(', ');
}

function describeVerifyError(error: string, info: CertificateInfo): string {
  switch (error) {
    case 'CERT_HAS_EXPIRED':
      return `client certificate has expired: it was valid until ${info.notAfter.toISOString()}`;
    case 'CERT_NOT_YET_VALID':
      return `client certificate is not valid yet: it will be from ${info.notBefore.toISOString()}`;
    case 'INVALID_PURPOSE':
      return `client certificate is not for clients, it has the usage ${usagesText(info)}`;
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return unknownAuthority;
    case 'CERT_SIGNATURE_FAILURE':
      return `${unknownAuthority}: its signature is wrong`;
    default:
      return `client certificate is not valid: ${error}`;
  }
}

function refuse(reason: string): CertificateVerdict {
  return { accepted: false, reason };
}
