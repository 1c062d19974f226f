import { X509Certificate } from 'node:crypto';
import { Fault, Secret } from '@nodewright/fault';
import { loadPrivateKey } from '@nodewright/pki';
import type { TalosconfigContext } from '../talosconfig/talosconfig.ts';

/** The certificate that a client presents, and the CA that it trusts. */
export interface ClientIdentity {
  /**
   * PEM of the CA that must have signed a server's certificate; `undefined` means the system's trust roots.
   */
  readonly ca: string | undefined;
  /** PEM; `undefined` when the client has no certificate. */
  readonly certificate: string | undefined;
  /** PEM with its original label; present exactly when `certificate` is. */
  readonly key: Secret | undefined;
}

export const noIdentity: ClientIdentity = { ca: undefined, certificate: undefined, key: undefined };

function decodePem(base64: string, what: string): string {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  if (!text.includes('-----BEGIN ')) {
    throw new Fault('invalid-argument', `${what} of the context is not the base64 of PEM text`);
  }
  return text;
}

function readCertificate(pem: string, what: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new Fault('invalid-argument', `${what} of the context is not a certificate`, { cause: error });
  }
}

function checkPair(certificate: string, key: Secret): void {
  if (!readCertificate(certificate, 'crt').checkPrivateKey(loadPrivateKey(key.reveal()))) {
    throw new Fault('invalid-argument', 'the key of the context does not belong to its certificate');
  }
}

/**
 * Reads the identity from a context of a talosconfig.
 *
 * @throws Fault `invalid-argument` when a field cannot be read, or when certificate and key do not match
 */
export function identityFromContext({ ca, crt, key }: TalosconfigContext): ClientIdentity {
  if ((crt === undefined) !== (key === undefined)) {
    const [has, lacks] = crt === undefined ? ['key', 'crt'] : ['crt', 'key'];
    throw new Fault('invalid-argument', `the context has ${has} but no ${lacks}`);
  }
  const identity: ClientIdentity = {
    ca: ca === undefined ? undefined : decodePem(ca, 'ca'),
    certificate: crt === undefined ? undefined : decodePem(crt, 'crt'),
    key: key === undefined ? undefined : new Secret(decodePem(key.reveal(), 'key')),
  };
  if (identity.ca !== undefined) readCertificate(identity.ca, 'ca');
  if (identity.certificate !== undefined && identity.key !== undefined)
    checkPair(identity.certificate, identity.key);
  return identity;
}
