import { issueCertificate } from '@nodewright/pki';
import type { CertificateSpec, IdentityPlan } from '../domain/plan-identity.ts';
import type { Identity } from '../domain/runtime-files.ts';

/** Issues what a control plane needs from its own CA: new keys and new certificates. */
export async function issueIdentity(
  plan: Extract<IdentityPlan, { kind: 'issue' }>,
  token: string,
  now: Date,
): Promise<Identity> {
  const issue = ({ commonName, organizations, ...spec }: CertificateSpec) =>
    issueCertificate({
      ...spec,
      issuer: plan.issuer,
      subject: { commonName, organizations },
      notBefore: now,
    });
  const [apidServer, apidClient, server] = await Promise.all([
    issue(plan.apidServer),
    issue(plan.apidClient),
    issue(plan.trustdServer),
  ]);
  return {
    apidServer,
    apidClient,
    acceptedCAs: plan.acceptedCAs,
    trustd: { server, issuingCa: plan.issuer, token },
  };
}
