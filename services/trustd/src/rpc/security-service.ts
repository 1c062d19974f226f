import {
  type CertificateRequest,
  type CertificateResponse,
  SecurityServiceDefinition,
} from '@nodewright/contract/gen/securityapi/security.ts';
import type {
  CheckCertificateRequest,
  CheckCertificateResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { parseCertificateRequest, signCertificateRequest } from '@nodewright/pki';
import { assertRequestSize, signingPolicy } from '../domain/signing-policy.ts';
import type { TrustRoot } from '../domain/trust-root.ts';
import { type UnaryMethod, unaryMethod } from './unary-method.ts';

export interface CertificateMethodInit {
  /** The root in force. It is read for each call, so that a rotation applies from the next call on. */
  root(): TrustRoot;
  now(): Date;
  /**
   * Rejects when another live node has one of the names or addresses. Otherwise returns the names to leave
   * out of the certificate.
   */
  checkCertificate(request: CheckCertificateRequest, signal: AbortSignal): Promise<CheckCertificateResponse>;
}

/**
 * Signs the requests of joining nodes, except for names and addresses of other nodes. Source: Talos v1.14:
 * trustd API.
 */
export function certificateMethod({ root, now, checkCertificate }: CertificateMethodInit): UnaryMethod {
  const service = SecurityServiceDefinition;
  return unaryMethod<CertificateRequest, CertificateResponse>(
    service,
    service.methods.certificate,
    async ({ csr }, context) => {
      assertRequestSize(csr.length);
      const request = parseCertificateRequest(csr);
      const { commonName, organizations } = request.subject;
      context.annotate({
        subject: commonName,
        dnsNames: request.dnsNames,
        ipAddresses: request.ipAddresses,
        ...(organizations.length === 0 ? {} : { strippedOrganizations: organizations }),
      });
      const { withheldNames } = await checkCertificate(
        {
          commonName: commonName ?? '',
          dnsNames: [...request.dnsNames],
          addresses: [...request.ipAddresses],
          callerAddress: context.remoteAddress,
        },
        context.signal,
      );
      if (withheldNames.length > 0) context.annotate({ withheldNames });
      const { issuingCa, acceptedCas } = root();
      const dnsNames = request.dnsNames.filter((name) => !withheldNames.includes(name));
      const certificate = signCertificateRequest({
        issuer: issuingCa,
        request: { ...request, dnsNames },
        policy: signingPolicy(now()),
      });
      return { ca: Buffer.from(acceptedCas), crt: Buffer.from(certificate) };
    },
  );
}
