import { type Fault, faultFrom } from '@nodewright/fault';
import { type CallOptions, ClientError, Metadata } from 'nice-grpc';
import { isUnknownNode } from './unknown-node.ts';

/**
 * How a call failed.
 * - `answered`: the server said so.
 * - `unknown-node`: the endpoint said that it does not know the node, before anything of an answer: it dialled nothing.
 * - `not-sent`: the call never left: any call may be sent elsewhere.
 * - `lost`: the connection broke before the caller had anything of the answer: the server may or may not have carried
 *   the call out.
 * - `cut`: the connection broke after the caller had a part of the answer.
 */
export type CallFailure = 'answered' | 'unknown-node' | 'not-sent' | 'lost' | 'cut';

/** Texts with which the HTTP/2 library fails a call that no server has seen. */
const notSentDetails = [/^No connection established\b/, /^Stream refused by server$/];

/**
 * Texts with which the HTTP/2 library ends a call that broke after its answer had begun. A server may end such a call
 * as UNAVAILABLE too, for the node behind it: then the text is the server's, and names that node.
 */
const cutDetails = [
  /^Connection dropped$/,
  /^Received RST_STREAM with code \d+/,
  /^Stream refused by server$/,
  /^(?:read|write) E[A-Z]+$/,
];

/** Watches one attempt of a call, to tell a server's answer from the library's own word for a broken connection. */
export class CallOutcome {
  /** Response headers came. */
  #begun = false;
  #delivered = false;
  #answered = false;

  /** The options of the call with the watch added. */
  watch(options: CallOptions): CallOptions {
    return {
      ...options,
      metadata: Metadata(options.metadata),
      onHeader: (header) => {
        this.#begun = true;
        options.onHeader?.(header);
      },
      onTrailer: (trailer) => {
        // Those that the library makes up are empty. A server's are empty as well when nothing but the status, which
        // the library takes out, came in a block of its own after the headers.
        if (!trailer[Symbol.iterator]().next().done) this.#answered = true;
        options.onTrailer?.(trailer);
      },
    };
  }

  /** A message of the answer is handed to the caller. */
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
