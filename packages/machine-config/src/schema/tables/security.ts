import type { SchemaTable } from '../parse-schema.ts';

/**
 * Documents that configure discovery, hardware, trust and SideroLink. Source: Talos v1.14: machine
 * configuration, keys of the documents.
 */
export const securityDocuments: SchemaTable = {
  DiscoveryServiceConfig: `
    name str !
    endpoint url !
  `,
  DiscoveryIdentityConfig: `
    clusterID str !
    clusterSecret str !
  `,
  PCIDriverRebindConfig: `
    name str !
    targetDriver str !
  `,
  TrustedRootsConfig: `
    name str !
    certificates str !
  `,
  ImageVerificationConfig: `
    rules list @image=
      image str
      skip bool
      deny bool
      keyless obj
        issuer str
        subject str
        subjectRegex str
      publicKey obj
        certificate str
  `,
  SideroLinkConfig: `
    apiUrl url !
    uniqueToken str
  `,
};
