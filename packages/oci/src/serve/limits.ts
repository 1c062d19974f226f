import { ociLimits } from '../oci-limits.ts';

/** The limits of the endpoint for its clients. */
export interface DistributionLimits {
  /** Open connections; a further one takes the place of the one that has been without a request for longest, or is closed at once. */
  readonly connections: number;
  /**
   * Requests that are worked on at the same time, without those with a long answer; further ones wait, unless a client has made its
   * answer wait for `patienceMs`.
   */
  readonly requests: number;
  /** Requests that wait until they are worked on; further ones get 429. With `requests` there is room for one request of each connection. */
  readonly requestLine: number;
  /** For how long they wait, in ms, before they get 429. Most requests take a few milliseconds until their answer is long or complete. */
  readonly requestLineMs: number;
  /** Long answers that are sent at the same time. */
  readonly longAnswers: number;
  /** Long answers that wait until they can be sent; further ones get 429. */
  readonly longLine: number;
  /** For how long they wait, in ms, before they get 429. */
  readonly longLineMs: number;
  /** How long an answer may wait for its client, all in all, before it may lose its place to another request, in ms. */
  readonly patienceMs: number;
  /** Request line and headers, in bytes; longer ones get 431. */
  readonly headerBytes: number;
  /** For the headers of a request, in ms. */
  readonly headersMs: number;
  /** Between two requests of a connection, in ms. */
  readonly idleMs: number;
  /** For a client to take one chunk of up to 256 KiB, in ms. A slower one loses its connection. */
  readonly stallMs: number;
  /** How long answers may continue when the endpoint closes, in ms. Source: Talos v1.14: image cache. */
  readonly drainMs: number;
}

export const distributionLimits: DistributionLimits = ociLimits.distribution;

/** An answer with more bytes is long. */
export const { shortAnswerBytes } = ociLimits;
