import { createPublicKey, type KeyObject } from 'node:crypto';
import { Fault, faultFrom } from '@nodewright/fault';
import { bitStringOf, childrenOf, type DerValue, decodeDer, encodeDer, isContext, oidOf } from './der.ts';
import { commonNamesOf, decodeName, type SubjectInfo } from './distinguished-name.ts';
import { decodeExtensions } from './extensions.ts';
import { objectIdentifiers } from './object-identifiers.ts';
import { decodePem } from './pem.ts';
import { decodeSignatureAlgorithm, type SignatureAlgorithm, verifyBytes } from './signature-algorithm.ts';
import { type AlternativeNames, decodeAlternativeNames } from './subject-alternative-name.ts';

/** A parsed PKCS #10 request. Its contents are unproven until `hasValidSignature` has returned true. */
export interface CertificateRequest extends AlternativeNames {
  readonly subject: SubjectInfo;
  /** All common names of the subject. `subject` has only the last one. */
  readonly commonNames: readonly string[];
  /** The subject with all of its parts. */
  readonly encodedSubject: DerValue;
  readonly publicKey: KeyObject;
  /** Undefined when the signature algorithm is not accepted. */
  readonly algorithm: SignatureAlgorithm | undefined;
  /** Whether the request is signed with its own key. */
  hasValidSignature(): boolean;
}

const what = 'certificate request';

function firstBlock(request: string | Uint8Array): Buffer {
  try {
    const [block] = decodePem(request);
    if (block !== undefined) return block.der;
  } catch (error) {
    throw new Fault('invalid-argument', 'failed to decode CSR', { cause: error });
  }
  throw new Fault('invalid-argument', 'failed to decode CSR');
}

function publicKeyOf(value: DerValue): KeyObject {
  try {
    return createPublicKey({ key: encodeDer(value), format: 'der', type: 'spki' });
  } catch (error) {
    throw new Fault('invalid-argument', `${what}: malformed public key`, { cause: error });
  }
}

/**
 * The names that the request contains. The signer decides everything else, so other extensions are not
 * parsed.
 */
function requestedNames(attributes: DerValue | undefined): AlternativeNames {
  const none = { dnsNames: [], ipAddresses: [] };
  if (attributes === undefined) return none;
  const requests = childrenOf(attributes, what)
    .map((attribute) => childrenOf(attribute, what))
    .filter(([id]) => oidOf(id, what) === objectIdentifiers.extensionRequest);
  if (requests.length > 1) throw new Fault('invalid-argument', `${what}: two lists of extensions`);
  const [extensions] = requests[0] === undefined ? [] : childrenOf(requests[0][1], what);
  if (extensions === undefined) return none;
  const found = decodeExtensions(extensions, what).find(({ id }) => id === objectIdentifiers.subjectAltName);
  return found === undefined ? none : decodeAlternativeNames(found.value);
}

function parse(der: Buffer): CertificateRequest {
  const [signedPart, algorithmField, signatureField] = childrenOf(decodeDer(der, what), what);
  const [, encodedSubject, encodedKey, ...rest] = childrenOf(signedPart, what);
  if (signedPart === undefined || encodedSubject === undefined || encodedKey === undefined) {
    throw new Fault('invalid-argument', `${what}: unexpected ASN.1 structure`);
  }
  const algorithm = decodeSignatureAlgorithm(algorithmField);
  const signature = bitStringOf(signatureField, what);
  const publicKey = publicKeyOf(encodedKey);
  return {
    subject: decodeName(encodedSubject),
    commonNames: commonNamesOf(encodedSubject),
    encodedSubject,
    publicKey,
    algorithm,
    ...requestedNames(rest.find((field) => isContext(field, 0))),
    hasValidSignature: () =>
      algorithm !== undefined && verifyBytes(algorithm, encodeDer(signedPart), publicKey, signature),
  };
}

/**
 * Parses a PEM certificate request. Throws a Fault `invalid-argument`: `failed to decode CSR` for input that
 * is not PEM, `failed to parse CSR: …` for PEM that is not a request. Source: Talos v1.14: trustd errors.
 */
export function parseCertificateRequest(request: string | Uint8Array): CertificateRequest {
  const der = firstBlock(request);
  try {
    return parse(der);
  } catch (error) {
    throw new Fault('invalid-argument', `failed to parse CSR: ${faultFrom(error).message}`, { cause: error });
  }
}
