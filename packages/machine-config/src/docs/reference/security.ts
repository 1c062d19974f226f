import { type KindReferences, notRead, onNoNode } from './reference-docs.ts';
import { certificatePem, keyBase64 } from './sample-values.ts';

/** Source: Talos v1.14: machine configuration, discovery; hardware, security, links to a manager. */
export const securityReferences: KindReferences = {
  DiscoveryServiceConfig: {
    '': {
      help: 'A discovery service through which cluster members find each other; its presence turns discovery on.',
      notApplied: onNoNode(
        'Nodes publish it as the resource DiscoveryConfigs and do not use the service: members find each other through etcd.',
      ),
    },
    name: { help: 'Name of this document.', example: 'default', isRequired: true },
    endpoint: {
      help: 'URL of the service: https, or http and grpc without encryption.',
      example: 'https://discovery.example.org/',
      isRequired: true,
    },
  },
  DiscoveryIdentityConfig: {
    '': {
      help: 'Identity of the cluster at discovery services.',
    },
    clusterID: {
      help: 'ID of the cluster at the discovery service; any text.',
      example: 'q0kTZ0q9RlnZfjrfvJcXKsUHOZSgvpVhBDQUE0MHMxI=',
      isRequired: true,
    },
    clusterSecret: {
      help: 'Key that encrypts the data of members, base64 of 32 bytes; it is a secret.',
      notApplied: onNoNode('Nodes publish it for discovery services, which they do not use yet.'),
      example: keyBase64,
      isRequired: true,
    },
  },
  PCIDriverRebindConfig: {
    '': {
      help: 'Binds a PCI device to another driver, for example to pass it to a virtual machine.',
      notApplied: notRead,
    },
    name: { help: 'PCI address of the device.', example: '0000:04:00.00', isRequired: true },
    targetDriver: {
      help: 'Driver that the device is bound to.',
      example: 'vfio-pci',
      isRequired: true,
    },
  },
  TrustedRootsConfig: {
    '': {
      help: 'Additional certificate authorities that programs of the node trust.',
      notApplied: notRead,
    },
    name: { help: 'Name of this document.', example: 'company-ca' },
    certificates: {
      help: 'Certificates of the authorities, PEM, one after the other.',
      example: certificatePem,
    },
  },
  ImageVerificationConfig: {
    '': {
      help: 'Rules about the signatures of container images.',
      notApplied: onNoNode(
        'Nodes verify no signatures: pulls ignore the rules, and ImageService.Verify answers UNIMPLEMENTED.',
      ),
    },
    rules: { help: 'Rules by image; patches replace the whole rule with the same pattern.' },
    'rules.image': {
      help: 'Pattern of image names, such as registry.example.org/*; tags and digests are not compared.',
      example: 'registry.example.org/*',
      isRequired: true,
    },
    'rules.skip': {
      help: 'Whether images that match are not verified; excludes deny, keyless and publicKey.',
    },
    'rules.deny': { help: 'Whether images that match are refused; excludes skip, keyless and publicKey.' },
    'rules.keyless': {
      help: 'Verifies a signature without a key, by who signed; needs subject or subjectRegex.',
    },
    'rules.keyless.issuer': {
      help: 'URL of the OpenID Connect issuer that identified the signer.',
      example: 'https://accounts.google.com',
      isRequired: true,
    },
    'rules.keyless.subject': { help: 'Identity of the signer.', example: 'release@example.org' },
    'rules.keyless.subjectRegex': {
      help: 'Regular expression for the identity of the signer.',
      example: '@example\\.org$',
    },
    'rules.publicKey': { help: 'Verifies a signature with a public key.' },
    'rules.publicKey.certificate': {
      help: 'Certificate with the public key, PEM.',
      example: certificatePem,
      isRequired: true,
    },
  },
  SideroLinkConfig: {
    '': { help: 'Connection to a server that manages nodes over SideroLink.', notApplied: notRead },
    apiUrl: {
      help: 'URL of the server: https or grpc, without a path; its query has jointoken, which is a secret.',
      example: 'https://siderolink.example.org:8081?jointoken=example',
      isRequired: true,
    },
    uniqueToken: {
      help: 'Token that only this node has; it is a secret.',
      example: 'example-token',
    },
  },
};
