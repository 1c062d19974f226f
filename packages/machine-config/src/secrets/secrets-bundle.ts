/** A certificate and its private key as PEM. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

/**
 * The secrets that all configurations of one cluster share. Its holder can issue any identity of the cluster.
 * Never log it, and write it only with mode 0600.
 *
 * Source: Talos v1.14: secrets bundle.
 */
export interface SecretsBundle {
  /** `id` is opaque; `secret` is base64 of 32 bytes. */
  readonly cluster: { readonly id: string; readonly secret: string };
  /** Exactly one of the two encryption secrets is set, as base64 of 32 bytes. */
  readonly secrets: {
    readonly bootstrapToken: string;
    readonly secretboxEncryptionSecret?: string;
    readonly aescbcEncryptionSecret?: string;
  };
  readonly trustd: { readonly token: string };
  readonly certs: {
    readonly etcd: CertificateAndKey;
    readonly kubernetes: CertificateAndKey;
    readonly kubernetesAggregator: CertificateAndKey;
    readonly kubernetesServiceAccount: { readonly key: string };
    readonly os: CertificateAndKey;
  };
}
