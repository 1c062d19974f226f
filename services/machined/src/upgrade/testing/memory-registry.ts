// A registry that has one image, and counts what is asked for.
import { Fault } from '@nodewright/fault';
import { type Descriptor, type DistributionClient, formatImageReference, mediaTypes } from '@nodewright/oci';

export interface MemoryRegistryInit {
  /** Of a layout, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Of what the tag names. */
  readonly root: string;
  /** Called before each piece of a blob. */
  readonly onPiece?: (digest: string, offset: number) => Promise<void> | void;
}

const pieceBytes = 512;

export function memoryRegistry({ files, root, onPiece }: MemoryRegistryInit) {
  const asked: string[] = [];
  const blob = (digest: string): Buffer => {
    const found = files.get(`blobs/${digest.replace(':', '/')}`);
    if (found === undefined) throw new Fault('not-found', `no blob ${digest}`);
    return found;
  };
  const document = (digest: string) => {
    const bytes = blob(digest);
    const { mediaType = mediaTypes.index } = JSON.parse(bytes.toString()) as { mediaType?: string };
    return { descriptor: { mediaType, digest, size: bytes.length }, bytes };
  };
  const client: DistributionClient = {
    async resolve(reference) {
      asked.push(formatImageReference(reference));
      return document(reference.digest ?? root);
    },
    fetchManifest: async (_reference, { digest }) => document(digest),
    async *fetchBlob(_reference, { digest }: Descriptor, { offset = 0, signal } = {}) {
      asked.push(digest);
      const bytes = blob(digest);
      for (let at = offset; at < bytes.length; at += pieceBytes) {
        await onPiece?.(digest, at);
        signal?.throwIfAborted();
        yield bytes.subarray(at, at + pieceBytes);
      }
    },
    openBlob: () => Promise.reject(new Error('not used')),
    sizeOfBlob: () => Promise.reject(new Error('not used')),
    [Symbol.dispose]: () => {},
  };
  return { client, asked };
}
