import type { Socket } from 'node:net';
import { floodLimits, queueLimits } from './flood-limits.ts';
import { defaultFrameBytes, defaultWindowBytes, maxWindowBytes } from './frame-types.ts';
import type { FrameWriter, WrittenListener } from './frame-writer.ts';

/** What kept a stream from sending more. */
export type SendResult =
  /** Nothing: it has more to send, and its window is open. */
  | 'more'
  /** The window of the connection. */
  | 'connection'
  /** Its own window, or it has nothing more to send. */
  | 'idle';

/** A stream that may have frames to send. */
export interface Sender {
  /** Whether it waits in the queue; only `OutboundQueue` changes it. */
  queued: boolean;
  /** Writes at most one frame of body, and what surrounds it. */
  sendSome(queue: OutboundQueue): SendResult;
}

/** The largest DATA frame that is sent, so that streams take turns, in bytes. */
const turnBytes = 65_536;

/**
 * The streams of a connection that have something to send. They take turns, one frame each, as far as the
 * window of the connection and the socket allow. Whatever cannot be sent stays in the queue of its stream.
 */
export class OutboundQueue {
  readonly writer: FrameWriter;
  /** How much body the peer accepts on the connection, in bytes. */
  windowBytes = defaultWindowBytes;
  /** The largest DATA frame, in bytes. */
  frameBytes = defaultFrameBytes;
  readonly #socket: Socket;
  #ready: Sender[] = [];
  #waiting: Sender[] = [];
  /** Bytes in the socket after the last flush. */
  #socketBytes = 0;
  /** Pieces of body that were sent since the last `takeAllowed`, without those that a window has cut short. */
  sentPieces = 0;
  /** What `windowBytes` would be if the bytes that `takeAllowed` has not counted were not sent. */
  #uncountedWindow = defaultWindowBytes;

  constructor(writer: FrameWriter, socket: Socket) {
    this.writer = writer;
    this.#socket = socket;
  }

  /** Whether the peer, or the network, is slower than this end: then nothing but control frames is sent. */
  get congested(): boolean {
    return this.#socketBytes + this.writer.pendingBytes >= queueLimits.socketBytes;
  }

  /** Whether a chunk of this size may be sent at once, ahead of no other stream. */
  canSend(bytes: number): boolean {
    return (
      bytes <= this.windowBytes && bytes <= this.frameBytes && this.#ready.length === 0 && !this.congested
    );
  }

  add(sender: Sender): void {
    if (sender.queued) return;
    sender.queued = true;
    this.#ready.push(sender);
  }

  setFrameBytes(peerBytes: number): void {
    this.frameBytes = Math.min(peerBytes, turnBytes);
  }

  /** The peer has opened the window of the connection. Returns `false` when it would be too large. */
  open(bytes: number): boolean {
    this.windowBytes += bytes;
    this.#uncountedWindow += bytes;
    if (this.windowBytes > maxWindowBytes) return false;
    if (this.#waiting.length > 0) {
      this.#ready = this.#waiting.concat(this.#ready);
      this.#waiting = [];
    }
    return true;
  }

  /** How many frames without a purpose the peer may send for the bodies that were sent to it since the last call. */
  takeAllowed(): number {
    const { idleFramesPerUsefulFrame, sentBytesPerIdleFrame } = floodLimits;
    const forBytes = Math.floor((this.#uncountedWindow - this.windowBytes) / sentBytesPerIdleFrame);
    this.#uncountedWindow -= forBytes * sentBytesPerIdleFrame;
    const forPieces = this.sentPieces * idleFramesPerUsefulFrame;
    this.sentPieces = 0;
    return forBytes + forPieces;
  }

  /** Writes what the windows and the socket allow. */
  pump(): void {
    while (this.#ready.length > 0 && !this.congested) {
      const round = this.#ready;
      this.#ready = [];
      let at = 0;
      for (; at < round.length && !this.congested; at += 1) {
        const sender = round[at] as Sender;
        sender.queued = false;
        const result = sender.sendSome(this);
        if (result === 'idle' || sender.queued) continue;
        sender.queued = true;
        if (result === 'more') this.#ready.push(sender);
        else this.#waiting.push(sender);
      }
      if (at < round.length) this.#ready = round.slice(at).concat(this.#ready);
    }
  }

  /**
   * Writes the frames to the socket. Returns whether more could be written in the next turn.
   *
   * @param onWritten see `FrameWriter.flush`
   */
  flush(onWritten?: WrittenListener): boolean {
    this.writer.flush(onWritten);
    this.#socketBytes = this.#socket.writableLength;
    return this.#ready.length > 0 && !this.congested;
  }

  /** The socket has written everything that it had. */
  drained(): void {
    this.#socketBytes = this.#socket.writableLength;
  }
}
