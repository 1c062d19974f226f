import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  certificate,
  certificateAndKey,
  field,
  ip,
  list,
  object,
  optional,
  privateKey,
  text,
  url,
} from '../../spec/field-types.ts';

/** The CA of etcd. */
export const etcdRootSecrets = defineKind({
  type: 'EtcdRootSecrets.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'etcd',
  isSensitive: true,
  spec: {
    etcdCA: field(1, optional(certificateAndKey)),
  },
});
export type EtcdRootSecretSpec = SpecOf<typeof etcdRootSecrets>;

/** The CAs, keys and tokens of Kubernetes. */
export const kubernetesRootSecrets = defineKind({
  type: 'KubernetesRootSecrets.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'k8s',
  isSensitive: true,
  spec: {
    name: field(1, text),
    endpoint: field(2, optional(url)),
    local_endpoint: field(3, optional(url)),
    certSANs: field(4, list(text)),
    /** First IP of each service subnet. */
    apiServerIPs: field(14, list(ip)),
    dnsDomain: field(6, text),
    issuingCA: field(7, optional(certificateAndKey)),
    acceptedCAs: field(15, list(certificate)),
    aggregatorCA: field(9, optional(certificateAndKey)),
    acceptedAggregatorCAs: field(17, list(certificate)),
    serviceAccount: field(8, optional(privateKey)),
    serviceAccountAcceptedKeys: field(18, list(privateKey)),
    issuerURL: field(19, text),
    acceptedIssuers: field(20, list(text)),
    apiAudiences: field(21, list(text)),
    aesCBCEncryptionSecret: field(10, text),
    bootstrapTokenID: field(11, text),
    bootstrapTokenSecret: field(12, text),
    secretboxEncryptionSecret: field(13, text),
    etcdEncryptionConfig: field(16, object),
  },
});
export type KubernetesRootSecretSpec = SpecOf<typeof kubernetesRootSecrets>;
