import { partly, type ReferenceDocs } from './reference-docs.ts';

// What both forms of configuration say about a registry.

export const overridePath = {
  help: 'Whether the path of the URL is used as it is; otherwise /v2 is added to it.',
  default: 'false',
};

export const skipFallback = {
  help: 'Whether an image that no mirror has is not pulled from the registry itself.',
  default: 'false',
};

export const credentials: ReferenceDocs = {
  '': {
    help: 'Credentials for one registry: username with password, or auth, or identityToken.',
    notApplied: partly(
      'Nodes use them for their own pulls; containerd does not get them, so pulls of a kubelet have none.',
    ),
  },
  username: { help: 'Name of the user; excludes auth and identityToken.', example: 'puller' },
  password: { help: 'Password of the user; it is a secret.', example: 'example-password' },
  auth: {
    help: 'User and password as base64 of user:password; it is a secret.',
    example: 'cHVsbGVyOmV4YW1wbGUtcGFzc3dvcmQ=',
  },
  identityToken: {
    help: 'Token with which the registry identifies the user; it is a secret.',
    example: 'example-token',
  },
};

export const insecureSkipVerify = {
  help: 'Whether the certificate of the registry is not checked.',
  default: 'false',
};
