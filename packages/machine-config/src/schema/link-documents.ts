/** The kinds of documents that describe a link: no two of them may have the same name. Source: Talos v1.14: network documents. */
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
