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
 * Decides whether a client certificate is accepted. `verifyError` is OpenSSL's name for a problem with the
 * chain; `undefined` means there is none. In addition, the extended key usage must be client authentication
 * and nothing else. The reasons are for the log. Source: Talos v1.14: TLS of apid, extra leaf check.
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
  // Also of the certificate of an authority, which Talos does not check: it is no certificate of a client.
  const [usage, ...others] = info.extendedKeyUsage;
  if (usage !== 'clientAuth' || others.length > 0) {
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
      return `client certificate is not valid yet: it is valid from ${info.notBefore.toISOString()}`;
    case 'INVALID_PURPOSE':
      return `client certificate is not for client authentication, it has the usage ${usagesText(info)}`;
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
