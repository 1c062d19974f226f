import { createPublicKey } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import {
  bitString,
  contextConstructed,
  decodeDer,
  encodeDer,
  oid,
  sequence,
  setOf,
  unsignedInteger,
} from './der.ts';
import { encodeName, type Subject } from './distinguished-name.ts';
import { alternativeNameExtensions } from './extensions.ts';
import { objectIdentifiers } from './object-identifiers.ts';
import { encodePem } from './pem.ts';
import {
  encodePrivateKey,
  generateKey,
  type KeyAlgorithm,
  type KeyPair,
  keyAlgorithmOf,
  loadPrivateKey,
} from './private-key.ts';
import { readCertificates } from './read-certificate.ts';
import { encodeSignatureAlgorithm, signatureAlgorithmOf, signBytes } from './signature-algorithm.ts';

export type CertificateRequestInit = {
  readonly subject: Subject;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
} & (
  | { readonly algorithm: KeyAlgorithm; readonly like?: undefined; readonly key?: undefined }
  | {
      /**
       * PEM of the accepted CAs: the new key has the type of the last one's key. Source: Talos v1.14: worker
       * flow.
       */
      readonly like: string;
      readonly algorithm?: undefined;
      readonly key?: undefined;
    }
  | {
      /** PEM of an existing private key to use instead of a new one. */
      readonly key: string;
      readonly algorithm?: undefined;
      readonly like?: undefined;
    }
);

function algorithmLike(pem: string): KeyAlgorithm {
  const last = readCertificates(pem).at(-1);
  if (last === undefined)
    throw new Fault('invalid-argument', 'there is no certificate that decides the type of the key');
  return keyAlgorithmOf(last.publicKey);
}

async function keyPairFor(init: CertificateRequestInit): Promise<KeyPair> {
  if (init.key === undefined) return generateKey(init.algorithm ?? algorithmLike(init.like));
  const privateKey = loadPrivateKey(init.key);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Creates a PKCS #10 request for a new key, or for the given one; both PEM. */
export async function createCertificateRequest(
  init: CertificateRequestInit,
): Promise<{ readonly request: string; readonly key: string }> {
  const { publicKey, privateKey } = await keyPairFor(init);
  const name = encodeName(init.subject);
  const extensions = alternativeNameExtensions(
    { dnsNames: init.dnsNames ?? [], ipAddresses: init.ipAddresses ?? [] },
    name.value.length === 0,
  );
  const attributes =
    extensions.length === 0
      ? []
      : [sequence(oid(objectIdentifiers.extensionRequest), setOf([sequence(...extensions)]))];
  const signedPart = sequence(
    unsignedInteger(Buffer.of(0)),
    name,
    decodeDer(publicKey.export({ type: 'spki', format: 'der' }), 'public key'),
    contextConstructed(0, attributes),
  );
  const algorithm = signatureAlgorithmOf(privateKey);
  const signature = signBytes(algorithm, encodeDer(signedPart), privateKey);
  const request = sequence(signedPart, encodeSignatureAlgorithm(algorithm), bitString(signature));
  return { request: encodePem('CERTIFICATE REQUEST', encodeDer(request)), key: encodePrivateKey(privateKey) };
}
