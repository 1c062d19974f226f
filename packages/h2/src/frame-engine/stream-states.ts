import { h2ErrorCodes } from '../error-codes.ts';

/** The state of a stream, from this end. Source: RFC 9113, section 5.1. */
export type StreamState =
  /** No frame has opened it yet. */
  | 'idle'
  | 'open'
  /** This end has sent END_STREAM. */
  | 'half-closed-local'
  /** The peer has sent END_STREAM. */
  | 'half-closed-remote'
  /** Closed, and the peer knew: both ends have sent END_STREAM, or the peer has sent RST_STREAM. */
  | 'ended'
  /** Closed by an RST_STREAM of this end; frames that the peer sent before it are still to come. */
  | 'reset'
  /** Closed, or skipped, so long ago that it is not known how. */
  | 'forgotten';

/** The frames of a stream whose acceptance depends on its state. */
export type StreamFrame = 'data' | 'headers' | 'resetStream' | 'windowUpdate';

/** What is to be done with a frame. */
export type Reception =
  | 'accept'
  | 'ignore'
  /** Ends the connection with PROTOCOL_ERROR. */
  | 'protocol-error'
  /** Ends the connection with STREAM_CLOSED. */
  | 'closed-error'
  /** Resets the stream with STREAM_CLOSED. */
  | 'reset-closed';

type Receptions = Readonly<Record<StreamState, Readonly<Record<StreamFrame, Reception>>>>;

const receptions = {
  idle: {
    data: 'protocol-error',
    headers: 'accept',
    resetStream: 'protocol-error',
    windowUpdate: 'protocol-error',
  },
  open: { data: 'accept', headers: 'accept', resetStream: 'accept', windowUpdate: 'accept' },
  'half-closed-local': { data: 'accept', headers: 'accept', resetStream: 'accept', windowUpdate: 'accept' },
  'half-closed-remote': {
    data: 'reset-closed',
    headers: 'reset-closed',
    resetStream: 'accept',
    windowUpdate: 'accept',
  },
  ended: { data: 'closed-error', headers: 'closed-error', resetStream: 'ignore', windowUpdate: 'ignore' },
  reset: { data: 'ignore', headers: 'ignore', resetStream: 'ignore', windowUpdate: 'ignore' },
  forgotten: { data: 'ignore', headers: 'protocol-error', resetStream: 'ignore', windowUpdate: 'ignore' },
} as const satisfies Receptions;

/** At a server: HEADERS on an idle stream are a call, and streams are opened in order. */
export const serverReceptions: Receptions = receptions;

/** At a client: no server opens a stream, and an answer may come long after the call was cancelled. */
export const clientReceptions: Receptions = {
  ...receptions,
  idle: { ...receptions.idle, headers: 'protocol-error' },
  forgotten: { ...receptions.forgotten, headers: 'ignore' },
};

/** How many closed streams are remembered: far more than close within one round trip. */
const rememberedStreams = 256;

/** Remembers how the last streams of a connection were closed. */
export class ClosedStreams {
  readonly #streams = new Int32Array(rememberedStreams);
  readonly #wasReset = new Uint8Array(rememberedStreams);
  #next = 0;

  /** @param wasReset whether this end closed it with RST_STREAM before the peer had ended it */
  add(stream: number, wasReset: boolean): void {
    this.#streams[this.#next] = stream;
    this.#wasReset[this.#next] = wasReset ? 1 : 0;
    this.#next = (this.#next + 1) % rememberedStreams;
  }

  stateOf(stream: number): 'ended' | 'reset' | 'forgotten' {
    const at = this.#streams.indexOf(stream);
    if (at < 0) return 'forgotten';
    return this.#wasReset[at] === 1 ? 'reset' : 'ended';
  }
}

/** The error code of a reception that ends a connection. */
export function errorCodeOf(reception: 'protocol-error' | 'closed-error'): number {
  return reception === 'protocol-error' ? h2ErrorCodes.protocolError : h2ErrorCodes.streamClosed;
}
