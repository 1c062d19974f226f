import { X509Certificate } from 'node:crypto';
import { Fault } from '@nodewright/fault';

/** What a client certificate says about its holder. */
export interface CertificateFacts {
  /** The values of the subject's organisation field, sorted; unknown roles included. */
  readonly roles: readonly string[];
  readonly notAfter: Date;
}

/** Reads the certificate of a context. @throws Fault `invalid-argument` when it is none */
export function readCertificateFacts(base64: string): CertificateFacts {
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    const roles = certificate.subject
      .split('\n')
      .flatMap((line) => (line.startsWith('O=') ? [line.slice(2)] : []))
      .sort();
    return { roles, notAfter: certificate.validToDate };
  } catch (error) {
    throw new Fault('invalid-argument', 'crt of the context is not a certificate', { cause: error });
  }
}
