import type { KeyObject, X509Certificate } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { type Descriptor, parseIndex } from '@nodewright/oci';
import { detachedSignatureBytes, isSignedDetached, signDetached } from '@nodewright/pki/detached-signature';

/** The annotation of the manifest in its index that has the signature, in base64. */
export const signatureAnnotation = 'dev.nodewright.installer.signature';

/** Whether a document is an index with a signature of an artefact, whatever the signature is worth: other images have none. */
export function isSignedIndex(document: Uint8Array): boolean {
  try {
    return parseIndex(document).manifests.some(
      ({ annotations = {} }) => annotations[signatureAnnotation] !== undefined,
    );
  } catch {
    return false;
  }
}

/** What is signed. It says what the digest is for, so that no other signature of the key fits. */
const statement = (digest: string) => Buffer.from(`nodewright installer ${digest}\n`);

/** Signs a manifest by its digest. The same arguments give the same text. */
export const signManifest = (digest: string, key: KeyObject, certificate: X509Certificate): string =>
  signDetached(statement(digest), key, certificate).toString('base64');

/**
 * Checks the signature of a manifest, which its descriptor in the index has. The manifest itself is not needed for that.
 *
 * @throws Fault `permission-denied` when the signature is missing, or was made with another key or for another manifest
 */
export function checkSignature(
  { digest, annotations }: Descriptor,
  certificates: readonly X509Certificate[],
): void {
  const text = annotations?.[signatureAnnotation] ?? '';
  if (text === '') throw new Fault('permission-denied', 'the artefact is not signed');
  const isSigned =
    text.length <= detachedSignatureBytes * 2 &&
    isSignedDetached(statement(digest), Buffer.from(text, 'base64'), certificates);
  if (!isSigned)
    throw new Fault(
      'permission-denied',
      'the artefact is not signed with a key that this system trusts, or its manifest was changed',
    );
}
