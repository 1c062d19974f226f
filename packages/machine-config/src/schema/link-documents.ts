/**
 * The kinds of documents that configure a link. Two of them must not have the same name. Source: Talos v1.14:
 * network documents.
 */
export const linkDocumentKinds = [
  'LinkConfig',
  'BondConfig',
  'BridgeConfig',
  'DummyLinkConfig',
  'VethConfig',
  'VLANConfig',
  'VRFConfig',
  'WireguardConfig',
] as const;
export type LinkDocumentKind = (typeof linkDocumentKinds)[number];
