import { type Fault, faultFrom } from '@nodewright/fault';
import { type CallOptions, ClientError, Metadata } from 'nice-grpc';

/**
 * How a call failed.
 * - `answered`: the server said so.
 * - `not-sent`: the call never left: any call may be sent elsewhere.
 * - `lost`: the connection broke before anything came back: the server may or may not have carried it out.
 * - `cut`: the connection broke after a part of the answer had come.
 */
export type CallFailure = 'answered' | 'not-sent' | 'lost' | 'cut';

/** Texts with which the HTTP/2 library fails a call that no server has seen. */
const notSentDetails = [/^No connection established\b/, /^Stream refused by server$/];

/** Watches one attempt of a call, to tell a server's answer from the library's own word for a broken connection. */
export class CallOutcome {
  #received = false;
  #answered = false;

  /** The options of the call with the watch added. */
  watch(options: CallOptions): CallOptions {
    return {
      ...options,
      metadata: Metadata(options.metadata),
      onHeader: (header) => {
        this.#received = true;
        options.onHeader?.(header);
      },
      onTrailer: (trailer) => {
        // A server's trailers always carry something; those that the library makes up are empty.
        if (!trailer[Symbol.iterator]().next().done) this.#answered = true;
        options.onTrailer?.(trailer);
      },
    };
  }

  classify(error: unknown): { readonly failure: CallFailure; readonly fault: Fault } {
    const fault = faultFrom(error);
    if (!(error instanceof ClientError) || this.#answered) return { failure: 'answered', fault };
    const { details } = error;
    const isBroken =
      fault.kind === 'unavailable' || (fault.kind === 'internal' && /^Received RST_STREAM/.test(details));
    if (!isBroken) return { failure: 'answered', fault };
    if (this.#received) return { failure: 'cut', fault };
    return { failure: notSentDetails.some((known) => known.test(details)) ? 'not-sent' : 'lost', fault };
  }
}
