import { base64FromPem } from './secrets/encode-secrets.ts';
import type { SecretsBundle } from './secrets/secrets-bundle.ts';
import { encodeYaml } from './yaml/encode-yaml.ts';

/** Input for the context of one cluster. Certificates and keys are PEM. */
export interface TalosconfigInput {
  readonly clusterName: string;
  readonly endpoints?: readonly string[];
  readonly nodes?: readonly string[];
  /** Certificate of the OS CA. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Validity of the admin certificate: one year. Source: Talos v1.14: gen config, talosconfig. */
export const adminCertificateHours = 8760;

/** The roles of the admin certificate, which are its organizations. */
export const adminRoles: readonly string[] = ['os:admin'];

/**
 * Encodes a client configuration with one context, named after the cluster.
 *
 * Source: Talos v1.14: gen config, talosconfig.
 */
export function encodeTalosconfig(input: TalosconfigInput): string {
  const context = {
    endpoints: [...(input.endpoints ?? [])],
    ...(input.nodes?.length ? { nodes: [...input.nodes] } : {}),
    ca: base64FromPem(input.ca),
    crt: base64FromPem(input.certificate),
    key: base64FromPem(input.key),
  };
  return encodeYaml({ context: input.clusterName, contexts: { [input.clusterName]: context } });
}

export interface GenerateTalosconfigInput {
  readonly secrets: SecretsBundle;
  readonly clusterName: string;
  readonly endpoints?: readonly string[];
  readonly nodes?: readonly string[];
  /** Start of the validity of the certificate, which lasts `adminCertificateHours`. */
  readonly now: Date;
}

/**
 * Encodes a client configuration with a new admin certificate. The OS CA signs the certificate; its subject
 * has only organizations, and it is valid only for client authentication.
 *
 * @throws Fault `invalid-argument` if the OS CA cannot sign
 *
 * Source: Talos v1.14: client credentials.
 */
export async function generateTalosconfig(input: GenerateTalosconfigInput): Promise<string> {
  const { secrets, clusterName, endpoints, nodes, now } = input;
  const issuer = secrets.certs.os;
  const { issueCertificate } = await import('@nodewright/pki');
  const { certificate, key } = await issueCertificate({
    issuer,
    subject: { organizations: adminRoles },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: now,
    lifetimeHours: adminCertificateHours,
  });
  return encodeTalosconfig({ clusterName, endpoints, nodes, ca: issuer.certificate, certificate, key });
}
