import type { Resource as ResourceMessage } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import type { Resource } from '../resource.ts';

/** More than the changes by which watches of the same kind are usually apart. */
export const mostMessages = 64;
/** Of the kept messages together, about: a few changes of a configuration with all its documents. */
export const mostMessageBytes = 4 * 1024 ** 2;
/** An update has two: also those of a configuration of 8 MiB are encoded once for all watches. */
export const leastMessages = 2;
/** What a resource needs apart from its spec, about. */
const metadataBytes = 1024;

interface Kept {
  readonly message: ResourceMessage;
  readonly bytes: number;
}

/** Caches the messages of recent resources while there are watches, so that these share one encoding. */
export class MessageCache {
  readonly #encode: (resource: Resource) => ResourceMessage;
  /** In the order of their encoding. */
  readonly #kept = new Map<Resource, Kept>();
  #bytes = 0;
  #watches = 0;

  constructor(encode: (resource: Resource) => ResourceMessage) {
    this.#encode = encode;
  }

  /** The bytes of the kept messages, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A watch uses the cache until it disposes of this. Nothing is kept after the last one. */
  open(): Disposable {
    let isOpen = true;
    this.#watches += 1;
    return {
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#watches -= 1;
        if (this.#watches === 0) this.#forget(0, 0, 0);
      },
    };
  }

  /** The message of a resource. Callers must not change it. */
  of(resource: Resource): ResourceMessage {
    const known = this.#kept.get(resource);
    if (known !== undefined) return known.message;
    const message = this.#encode(resource);
    if (this.#watches === 0) return message;
    const bytes = bytesOf(message);
    this.#kept.set(resource, { message, bytes });
    this.#bytes += bytes;
    this.#forget(mostMessages, mostMessageBytes, leastMessages);
    return message;
  }

  /** Forgets the oldest messages until the rest is small enough. */
  #forget(most: number, mostBytes: number, least: number): void {
    for (const [resource, { bytes }] of this.#kept) {
      const isSmallEnough = this.#kept.size <= most && this.#bytes <= mostBytes;
      if (isSmallEnough || this.#kept.size <= least) return;
      this.#kept.delete(resource);
      this.#bytes -= bytes;
    }
  }
}

function bytesOf({ spec }: ResourceMessage): number {
  return metadataBytes + (spec?.yamlSpec.length ?? 0) + (spec?.protoSpec.length ?? 0);
}
