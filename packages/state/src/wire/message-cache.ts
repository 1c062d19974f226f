import type { Resource as ResourceMessage } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import type { Resource } from '../resource.ts';

const limit = 64;

/** Caches the messages of recent resources, so that several watchers share one encoding. */
export class MessageCache {
  readonly #encode: (resource: Resource) => ResourceMessage;
  readonly #messages = new Map<Resource, ResourceMessage>();

  constructor(encode: (resource: Resource) => ResourceMessage) {
    this.#encode = encode;
  }

  /** The message of a resource. Callers must not change it. */
  of(resource: Resource): ResourceMessage {
    const known = this.#messages.get(resource);
    if (known !== undefined) return known;
    const message = this.#encode(resource);
    this.#messages.set(resource, message);
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > limit && oldest !== undefined) this.#messages.delete(oldest);
    return message;
  }
}
