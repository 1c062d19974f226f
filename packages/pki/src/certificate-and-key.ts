/** A certificate and the private key that goes with it. The key is a secret. */
export interface CertificateAndKey {
  /** PEM; may hold several certificates, the one of the key among them. */
  readonly certificate: string;
  /** PEM, under any label that `loadPrivateKey` takes. */
  readonly key: string;
}
