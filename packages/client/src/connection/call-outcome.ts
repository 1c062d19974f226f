import { type Fault, faultFrom } from '@nodewright/fault';
import { type CallOptions, ClientError, Metadata } from 'nice-grpc-common';
import { isUnknownNode } from './unknown-node.ts';

/**
 * How a call failed.
 * - `answered`: the server reported the failure.
 * - `unknown-node`: the endpoint reported that it does not know the node, and forwarded nothing to it.
 * - `not-sent`: the call was never sent, so any call may go to another endpoint.
 * - `lost`: the connection broke before the caller received any message. The server may have carried the call
 *   out.
 * - `cut`: the connection broke after the caller had received at least one message.
 */
export type CallFailure = 'answered' | 'unknown-node' | 'not-sent' | 'lost' | 'cut';

/** Error texts of the HTTP/2 library for a call that no server has received. */
const notSentDetails = [/^No connection established\b/, /^Stream refused by server$/];

/**
 * Error texts of the HTTP/2 library for a connection that broke after the response had begun. A server may
 * also end such a call with UNAVAILABLE when the node behind it failed. The text is then the server's, and
 * names that node.
 */
const cutDetails = [
  /^Connection dropped$/,
  /^Received RST_STREAM with code \d+/,
  /^Stream refused by server$/,
  /^(?:read|write) E[A-Z]+$/,
];

/** Observes one attempt of a call, to tell a failure that the server reported from a broken connection. */
export class CallOutcome {
  /** Whether response headers have arrived. */
  #begun = false;
  #delivered = false;
  #answered = false;

  /** Returns the options of the call with the observers added. */
  watch(options: CallOptions): CallOptions {
    return {
      ...options,
      metadata: Metadata(options.metadata),
      onHeader: (header) => {
        this.#begun = true;
        options.onHeader?.(header);
      },
      onTrailer: (trailer) => {
        // Trailers that the library makes up are empty. The trailers of a server can also be empty: when they
        // consist of the status alone, the library removes it.
        if (!trailer[Symbol.iterator]().next().done) this.#answered = true;
        options.onTrailer?.(trailer);
      },
    };
  }

  /** Records that a message of the response has been passed to the caller. */
  delivered(): void {
    this.#delivered = true;
  }

  classify(error: unknown): { readonly failure: CallFailure; readonly fault: Fault } {
    const fault = faultFrom(error);
    if (!this.#delivered && isUnknownNode(fault)) return { failure: 'unknown-node', fault };
    if (!(error instanceof ClientError) || this.#answered) return { failure: 'answered', fault };
    const { details } = error;
    const isBroken =
      fault.kind === 'unavailable' || (fault.kind === 'internal' && /^Received RST_STREAM/.test(details));
    if (!isBroken) return { failure: 'answered', fault };
    if (this.#begun) {
      if (!cutDetails.some((known) => known.test(details))) return { failure: 'answered', fault };
      return { failure: this.#delivered ? 'cut' : 'lost', fault };
    }
    return { failure: notSentDetails.some((known) => known.test(details)) ? 'not-sent' : 'lost', fault };
  }
}
