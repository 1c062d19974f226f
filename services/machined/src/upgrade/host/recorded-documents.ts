import type { ImageContent } from '@nodewright/extensions/images';
import type { Descriptor } from '@nodewright/oci';

/**
 * The same content, which keeps the documents that are read through it while it is verified. Layers are passed on: they are read when
 * all documents are known.
 */
export function recordDocuments(content: ImageContent): {
  readonly content: ImageContent;
  /** By digest. */
  readonly documents: ReadonlyMap<string, Uint8Array>;
} {
  const documents = new Map<string, Uint8Array>();
  return {
    documents,
    content: {
      root: () => content.root(),
      async *read(descriptor) {
        if (!descriptor.mediaType.includes('json')) return yield* content.read(descriptor);
        const pieces: Uint8Array[] = [];
        for await (const piece of content.read(descriptor)) {
          pieces.push(piece);
          yield piece;
        }
        documents.set(descriptor.digest, Buffer.concat(pieces));
      },
      [Symbol.asyncDispose]: () => content[Symbol.asyncDispose](),
    },
  };
}

/** The files of an OCI layout with these documents. Source: OCI image specification, image layout. */
export function layoutFilesOf(
  root: Descriptor,
  documents: ReadonlyMap<string, Uint8Array>,
): readonly (readonly [name: string, bytes: Uint8Array])[] {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  return [
    ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
    ['index.json', json({ schemaVersion: 2, manifests: [root] })],
    ...[...documents].map(
      ([digest, bytes]) => [`blobs/${digest.replace(':', '/')}`, bytes] as [string, Uint8Array],
    ),
  ];
}
