import { createHash, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { verityTree } from '@nodewright/disk';
import { certifyOwnKey } from '@nodewright/pki';
import { signDetached } from '@nodewright/pki/detached-signature';
import {
  type ExtensionSetDescription,
  encodeSetDescription,
  setFiles,
  setTreeInit,
} from '../domain/extension-set.ts';
import { tarBytes } from './tar-bytes.ts';

/** A key that signs sets, with its certificate. */
export interface SetSigner {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
}

export function createSetSigner(): SetSigner {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [notBefore, notAfter] = [new Date('2026-01-01T00:00:00Z'), new Date('2056-01-01T00:00:00Z')];
  const pem = certifyOwnKey({ key, commonName: 'sets of a test', notBefore, notAfter });
  return { key, certificate: new X509Certificate(pem) };
}

export interface SignedSetInit {
  readonly signer: SetSigner;
  /** In place of those of a squashfs. */
  readonly squashfs: Buffer;
  readonly imageRootHash: string;
  /** Changes the description before it is signed. */
  readonly describe?: (description: ExtensionSetDescription) => ExtensionSetDescription;
  /** Changes the files after they were signed. */
  readonly change?: (files: Map<string, Buffer>) => void;
}

/** A set as `make extension-set` writes it, or with changes. */
export function signedSet(init: SignedSetInit): { readonly bytes: Buffer; readonly rootHash: string } {
  const { signer, squashfs, imageRootHash, describe = (same) => same, change } = init;
  const salt = createHash('sha256').update(squashfs).digest();
  const { rootHash, file: tree } = verityTree(squashfs, setTreeInit(salt));
  const metadata = { name: 'demo', version: '1.2.3', author: '', description: '', extraInfo: '' };
  const description = encodeSetDescription(
    describe({
      ...{ rootHash, imageRootHash, squashfsBytes: squashfs.length },
      layers: [
        { image: 'set/1', metadata: { ...metadata, compatibility: { talos: { version: '>= v1.10.0' } } } },
      ],
    }),
  );
  const sign = (content: Uint8Array) => signDetached(content, signer.key, signer.certificate);
  const files = new Map<string, Buffer>([
    [setFiles.description, description],
    [setFiles.descriptionSignature, sign(description)],
    [setFiles.rootHashSignature, sign(Buffer.from(rootHash))],
    [setFiles.tree, tree],
    [setFiles.squashfs, squashfs],
  ]);
  change?.(files);
  return { bytes: tarBytes([...files].map(([name, content]) => ({ name, content }))), rootHash };
}
