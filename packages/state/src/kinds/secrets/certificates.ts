import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  bytes,
  certificate,
  certificateAndKey,
  field,
  ip,
  list,
  optional,
  text,
  unlessEmpty,
  url,
} from '../../spec/field-types.ts';

/** The certificates of apid. */
export const apiCertificates = defineKind({
  type: 'ApiCertificates.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'api',
  isSensitive: true,
  spec: {
    acceptedCAs: field(4, list(certificate)),
    /** Workers have no client certificate. */
    client: field(2, optional(certificateAndKey)),
    server: field(3, optional(certificateAndKey)),
    skipVerifyingClientCert: field(5, bool),
  },
});
export type ApiCertificateSpec = SpecOf<typeof apiCertificates>;

/** Names and addresses for certificates: `api`, `k8s`, `maintenance`. */
export const certSans = defineKind({
  type: 'CertSANs.secrets.talos.dev',
  defaultNamespace: 'secrets',
  isSensitive: true,
  spec: {
    ips: field(1, list(ip)),
    dnsNames: field(2, list(text)),
    fqdn: field(3, text),
  },
});
export type CertSanSpec = SpecOf<typeof certSans>;

/** The certificate of trustd. */
export const trustdCertificates = defineKind({
  type: 'TrustdCertificates.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'trustd',
  isSensitive: true,
  spec: {
    acceptedCAs: field(3, list(certificate)),
    server: field(2, optional(certificateAndKey)),
  },
});
export type TrustdCertificateSpec = SpecOf<typeof trustdCertificates>;

/** The certificates of etcd and its clients. */
export const etcdSecrets = defineKind({
  type: 'EtcdSecrets.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'etcd',
  isSensitive: true,
  spec: {
    etcd: field(1, optional(certificateAndKey)),
    etcdPeer: field(2, optional(certificateAndKey)),
    etcdAdmin: field(3, optional(certificateAndKey)),
    etcdAPIServer: field(4, optional(certificateAndKey)),
  },
});
export type EtcdSecretSpec = SpecOf<typeof etcdSecrets>;

/** Certificates of the API server, which are reissued when its names or addresses change. */
export const kubernetesDynamicCerts = defineKind({
  type: 'KubernetesDynamicCerts.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'k8s-dynamic-certs',
  isSensitive: true,
  spec: {
    apiServer: field(1, optional(certificateAndKey)),
    apiServerKubeletClient: field(2, optional(certificateAndKey)),
    frontProxy: field(3, optional(certificateAndKey)),
  },
});
export type KubernetesDynamicCertSpec = SpecOf<typeof kubernetesDynamicCerts>;

/** Kubeconfigs of control plane components and administrators. */
export const kubernetesSecrets = defineKind({
  type: 'KubernetesSecrets.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'k8s-certs',
  isSensitive: true,
  spec: {
    schedulerKubeconfig: field(4, text),
    controllerManagerKubeconfig: field(5, text),
    localhostAdminKubeconfig: field(6, text),
    adminKubeconfig: field(7, text),
  },
});
export type KubernetesSecretSpec = SpecOf<typeof kubernetesSecrets>;

/** Credentials with which the kubelet joins the cluster. */
export const kubeletSecrets = defineKind({
  type: 'KubeletSecrets.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'kubelet',
  isSensitive: true,
  spec: {
    endpoint: field(1, optional(url)),
    endpointTLSServerName: unlessEmpty(6, text),
    acceptedCAs: field(5, list(certificate)),
    bootstrapTokenID: field(3, text),
    bootstrapTokenSecret: field(4, text),
  },
});
export type KubeletSecretSpec = SpecOf<typeof kubeletSecrets>;

/** Random salt for encryption keys of volumes, stored on the STATE volume. */
export const encryptionSalts = defineKind({
  type: 'EncryptionSalts.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'salt',
  isSensitive: true,
  spec: {
    diskSalt: field(1, bytes),
  },
});
export type EncryptionSaltSpec = SpecOf<typeof encryptionSalts>;
