import { base64FromPem } from './secrets/encode-secrets.ts';
import type { SecretsBundle } from './secrets/secrets-bundle.ts';
import { encodeYaml } from './yaml/encode-yaml.ts';

/** What a client needs to reach one cluster; PEM where a certificate or a key is meant. */
export interface TalosconfigInput {
  readonly clusterName: string;
  readonly endpoints?: readonly string[];
  readonly nodes?: readonly string[];
  /** The OS CA. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** The life of the admin certificate: one year. Source: Talos v1.14: gen config, talosconfig. */
export const adminCertificateHours = 8760;

/** The organizations of the admin certificate. */
export const adminRoles: readonly string[] = ['os:admin'];

/**
 * The text of a client configuration with one context, named after the cluster.
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
  /** The certificate is valid from then on, for `adminCertificateHours`. */
  readonly now: Date;
}

/**
 * The text of a client configuration with a fresh administrator's certificate: organisations only, for client
 * authentication only, signed by the OS CA. Throws `invalid-argument` when that CA cannot sign.
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
