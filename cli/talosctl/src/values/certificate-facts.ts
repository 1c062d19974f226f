import { X509Certificate } from 'node:crypto';
import { Fault } from '@nodewright/fault';

/** Facts from a client certificate. */
export interface CertificateFacts {
  /** The sorted values of the subject's organization field, including unknown roles. */
  readonly roles: readonly string[];
  readonly notAfter: Date;
}

/** Reads the certificate of a context. @throws Fault `invalid-argument` for an invalid certificate */
export function readCertificateFacts(base64: string): CertificateFacts {
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    const roles = certificate.subject
      .split('\n')
      .flatMap((line) => (line.startsWith('O=') ? [line.slice(2)] : []))
      .sort();
    return { roles, notAfter: certificate.validToDate };
  } catch (error) {
    throw new Fault('invalid-argument', 'field crt of the context is not a certificate', { cause: error });
  }
}
