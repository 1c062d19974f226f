import { isIssuedBy, readCertificate, readCertificates } from '@nodewright/pki';
import type { ApiCertificateSpec } from '@nodewright/state/kinds';

/**
 * Whether an accepted authority has issued the server certificate. While a worker waits for trustd, its certificate is of an authority
 * of its own. What cannot be read is not issued; `identityFromFacts` reports it.
 */
export function isIssued({ server, acceptedCAs }: ApiCertificateSpec): boolean {
  if (server === undefined) return false;
  try {
    return isIssuedBy(
      readCertificate(server.crt),
      acceptedCAs.flatMap(({ crt }) => readCertificates(crt)),
    );
  } catch {
    return false;
  }
}

/** When the server certificate ends, as Unix time in milliseconds; undefined without a certificate that can be parsed. */
export function endOfServer({ server }: ApiCertificateSpec): number | undefined {
  if (server === undefined) return undefined;
  try {
    return readCertificate(server.crt).validToDate.getTime();
  } catch {
    return undefined;
  }
}
