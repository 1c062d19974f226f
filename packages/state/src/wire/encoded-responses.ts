import { EncodedMessage } from '@nodewright/contract';
import type { Resource as ResourceMessage } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import { ListResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import type { Resource } from '../resource.ts';

/** An encoded response of List or of Get: both have the resource in the same field. */
class EncodedResponse extends EncodedMessage implements ListResponse {
  /** Decodes the response, for callers in the same process. */
  get resource(): ResourceMessage | undefined {
    return ListResponse.decode(this.bytes).resource;
  }
}

/**
 * Keeps the encoded response for each resource as long as the resource itself. Clients list the same
 * resources again and again: upstream's talosctl lists all definitions before each command, and encoding
 * takes longer than sending.
 */
export class EncodedResponses {
  readonly #encode: (resource: Resource) => ResourceMessage;
  readonly #responses = new WeakMap<Resource, EncodedResponse>();

  constructor(encode: (resource: Resource) => ResourceMessage) {
    this.#encode = encode;
  }

  of(resource: Resource): EncodedResponse {
    const known = this.#responses.get(resource);
    if (known !== undefined) return known;
    const response = new EncodedResponse(ListResponse.encode({ resource: this.#encode(resource) }).finish());
    this.#responses.set(resource, response);
    return response;
  }
}
