/** A certificate and its private key. The key is a secret. */
export interface CertificateAndKey {
  /** PEM. It may contain several certificates, among them that of the key. */
  readonly certificate: string;
  /** PEM, under any label that `loadPrivateKey` takes. */
  readonly key: string;
}
