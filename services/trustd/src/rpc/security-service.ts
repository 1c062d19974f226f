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
import { hostNamesOf } from '../domain/certificate-names.ts';
import { assertRequestSize, signingPolicy } from '../domain/signing-policy.ts';
import type { TrustRoot } from '../domain/trust-root.ts';
import { type UnaryMethod, unaryMethod } from './unary-method.ts';

export interface CertificateMethodInit {
  /** The root in force. It is read for each call, so that a rotation applies from the next call on. */
  root(): TrustRoot;
  now(): Date;
  /**
   * Rejects when the common name is reserved. Otherwise returns the names and addresses to leave out of the
   * certificate.
   */
  checkCertificate(request: CheckCertificateRequest, signal: AbortSignal): Promise<CheckCertificateResponse>;
}

/**
 * Signs the requests of joining nodes. What is no host name, and what is reserved for others, is left out and
 * logged, so that a node with several addresses still joins. Source: Talos v1.14: trustd API.
 */
export function certificateMethod({ root, now, checkCertificate }: CertificateMethodInit): UnaryMethod {
  const service = SecurityServiceDefinition;
  return unaryMethod<CertificateRequest, CertificateResponse>(
    service,
    service.methods.certificate,
    async ({ csr }, context) => {
      assertRequestSize(csr.length);
      const request = parseCertificateRequest(csr);
      const { organizations } = request.subject;
      context.annotate({
        subject: request.subject.commonName,
        dnsNames: request.dnsNames,
        ipAddresses: request.ipAddresses,
        ...(organizations.length === 0 ? {} : { strippedOrganizations: organizations }),
      });
      const { commonName, dnsNames, omittedNames } = hostNamesOf(request);
      if (omittedNames.length > 0) context.annotate({ omittedNames });
      const { withheldNames, withheldAddresses } = await checkCertificate(
        {
          commonName,
          dnsNames: [...dnsNames],
          addresses: [...request.ipAddresses],
          callerAddress: context.remoteAddress,
        },
        context.signal,
      );
      if (withheldNames.length > 0) context.annotate({ withheldNames });
      if (withheldAddresses.length > 0) context.annotate({ withheldAddresses });
      const { issuingCa, acceptedCas } = root();
      const certificate = signCertificateRequest({
        issuer: issuingCa,
        request: {
          ...request,
          subject: { commonName, organizations: [] },
          dnsNames: dnsNames.filter((name) => !withheldNames.includes(name)),
          ipAddresses: request.ipAddresses.filter((address) => !withheldAddresses.includes(address)),
        },
        policy: signingPolicy(now()),
      });
      return { ca: Buffer.from(acceptedCas), crt: Buffer.from(certificate) };
    },
  );
}
