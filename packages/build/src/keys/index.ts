export { type SecureBootKey, secureBootKey } from './secure-boot-key.ts';
export { keysFolder, trustedCertificates, trustedFolder } from './trusted-certificates.ts';
