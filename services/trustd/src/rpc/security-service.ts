import type { SecurityServiceImplementation } from '@nodewright/contract/gen/securityapi/security.ts';
import { parseCertificateRequest, signCertificateRequest } from '@nodewright/pki';
import { annotateRequest } from '@nodewright/rpc';
import { assertRequestSize, signingPolicy } from '../domain/signing-policy.ts';
import type { TrustRoot } from '../domain/trust-root.ts';

export interface SecurityServiceInit {
  /** The root as it is now: asked at every call, so that a rotation holds from the next one. */
  root(): TrustRoot;
  now(): Date;
}

/** Signs the requests of joining nodes. Source: Talos v1.14: trustd API. */
export function createSecurityService({ root, now }: SecurityServiceInit): SecurityServiceImplementation {
  return {
    async certificate({ csr }, context) {
      assertRequestSize(csr.length);
      const request = parseCertificateRequest(csr);
      const { commonName, organizations } = request.subject;
      annotateRequest(context, {
        subject: commonName,
        dnsNames: request.dnsNames,
        ipAddresses: request.ipAddresses,
        ...(organizations.length === 0 ? {} : { strippedOrganizations: organizations }),
      });
      const { issuingCa, acceptedCas } = root();
      const certificate = signCertificateRequest({
        issuer: issuingCa,
        request,
        policy: signingPolicy(now()),
      });
      return { ca: Buffer.from(acceptedCas), crt: Buffer.from(certificate) };
    },
  };
}
