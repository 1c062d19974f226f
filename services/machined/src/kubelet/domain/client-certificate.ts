import { X509Certificate } from 'node:crypto';

export interface ExpectedClient {
  readonly nodename: string;
  /** PEM, each one certificate. */
  readonly authorities: readonly string[];
}

/**
 * Why the kubelet cannot use its client certificate any more; `undefined` when it can. One that has expired is left to the kubelet.
 * Source: Talos v1.14: kubelet service, TLS bootstrap.
 *
 * @param pem certificate and key of the kubelet
 */
export function clientCertificateProblem(
  pem: string,
  { nodename, authorities }: ExpectedClient,
): string | undefined {
  const certificate = parsed(pem);
  if (certificate === undefined) return 'it cannot be read';
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1];
  const expected = `system:node:${nodename}`;
  if (commonName !== expected) return `it is for "${commonName}", not for "${expected}"`;
  const isIssued = authorities.some((text) => {
    const authority = parsed(text);
    return authority !== undefined && certificate.verify(authority.publicKey);
  });
  return isIssued ? undefined : 'its issuer is not accepted';
}

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
