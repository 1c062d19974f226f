export type { CertificateAndKey } from './certificate-and-key.ts';
export { certifyOwnKey, type OwnKeyInit } from './certify-own-key.ts';
export {
  type ClientCertificateCheck,
  type ClientCertificateProblem,
  clientCertificateProblem,
  hasExactClientAuthUsage,
  isIssuedBy,
} from './client-certificate.ts';
export { type CertificateRequestInit, createCertificateRequest } from './create-certificate-request.ts';
export type { Subject, SubjectInfo } from './distinguished-name.ts';
export type { ExtendedKeyUsage } from './extensions.ts';
export {
  type CertificateAuthorityInit,
  generateCertificateAuthority,
} from './generate-certificate-authority.ts';
export { type CertificateInit, issueCertificate } from './issue-certificate.ts';
export { assertIssuer } from './open-issuer.ts';
export {
  type CertificateInfo,
  parseCertificate,
  publicKeyFingerprint,
} from './parse-certificate.ts';
export { type CertificateRequest, parseCertificateRequest } from './parse-certificate-request.ts';
export { decodePem, encodePem, type PemBlock, splitPem } from './pem.ts';
export {
  encodePrivateKey,
  generateKey,
  generateServiceAccountKey,
  type KeyAlgorithm,
  type KeyPair,
  keyAlgorithmOf,
  loadPrivateKey,
  tlsPrivateKey,
} from './private-key.ts';
export { type CertificateSource, readCertificate, readCertificates } from './read-certificate.ts';
export {
  type CertificateRequestSigning,
  type SigningPolicy,
  signCertificateRequest,
} from './sign-certificate-request.ts';
export { backdatingMs, validityFrom } from './validity.ts';
