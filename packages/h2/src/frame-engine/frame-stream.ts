import type { ByteBudget } from '../byte-budget.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { isScratch } from '../read-blocks.ts';
import { ByteQueue } from './byte-queue.ts';
import { queueLimits } from './flood-limits.ts';
import { maxWindowBytes } from './frame-types.ts';
import type { OutboundQueue, Sender, SendResult } from './outbound-queue.ts';
import type { StreamState } from './stream-states.ts';

/** What a stream needs of its connection. */
export interface StreamOwner {
  readonly outbound: OutboundQueue;
  /** Nothing can be sent any more. */
  readonly ended: boolean;
  /** The window that each stream gives its peer, in bytes. */
  readonly streamWindowBytes: number;
  /** Asks for a turn, in which frames are written and waiting events are sent. */
  requestTurn(): void;
  /** `deliver` of this stream is due in the next turn. */
  deliverLater(stream: FrameStream): void;
  /** Body bytes of the connection that nobody has read grew by this number. */
  holdUnread(bytes: number): void;
  /** So many bytes of a read were copied to new memory. */
  countCopy(bytes: number): void;
  /** Sends RST_STREAM and forgets the stream. */
  resetStream(stream: FrameStream, code: number): void;
  /** Both ends have ended the stream: forgets it. */
  streamEnded(stream: FrameStream): void;
}

/** One stream: flow control in both directions, the bodies that wait, and the two ends. */
export abstract class FrameStream implements Sender {
  id: number;
  queued = false;
  /** END_STREAM was written. */
  localEnded = false;
  /** END_STREAM has arrived. */
  remoteEnded = false;
  /** The connection has forgotten the stream: nothing is sent or received any more. */
  closed = false;
  /** Body bytes that are missing according to `content-length`; -1 when it is not given. */
  missingBytes = -1;
  /** The next stream in the same slot of the table; only `StreamTable` changes it. */
  nextInSlot: FrameStream | undefined = undefined;
  /** Whether `deliver` is due; only the connection changes it. */
  deliveryDue = false;
  protected readonly owner: StreamOwner;
  /** Whether body bytes may be delivered. */
  protected flowing = false;
  #sendWindow: number;
  #outgoing: ByteQueue | undefined;
  #head: RawHeaders | undefined;
  #headIsLast = false;
  #trailers: RawHeaders | undefined;
  #endRequested = false;
  #drainDue = false;
  #receiveLeft: number;
  #receiveGiven = 0;
  #unread: ByteQueue | undefined;
  #budget: ByteBudget | undefined;
  #onFull: ((full: ByteBudget) => void) | undefined;
  #isFull = false;
  /** Bytes of the budget for the end of an answer that waits to be sent. */
  #unsentBytes = 0;

  constructor(owner: StreamOwner, id: number, sendWindow: number) {
    this.owner = owner;
    this.id = id;
    this.#sendWindow = sendWindow;
    this.#receiveLeft = owner.streamWindowBytes;
  }

  get state(): StreamState {
    if (this.localEnded) return 'half-closed-local';
    return this.remoteEnded ? 'half-closed-remote' : 'open';
  }

  /** Whether this end has more to send, or may have. */
  get sending(): boolean {
    return !this.closed && !this.localEnded && !this.#endRequested && !this.owner.ended;
  }

  /** The next part of the body: the bytes from `start` to `end`. */
  protected abstract onData(bytes: Buffer, start: number, end: number): void;
  /** The peer's half is complete and delivered. Called once. */
  protected abstract onEnd(): void;
  protected abstract onDrained(): void;

  pause(): void {
    this.flowing = false;
  }

  resume(): void {
    if (this.flowing) return;
    this.flowing = true;
    if (this.hasUndelivered) this.owner.deliverLater(this);
  }

  limitUnread(budget: ByteBudget, onFull: (full: ByteBudget) => void): void {
    this.#budget = budget;
    this.#onFull = onFull;
  }

  write(chunk: Uint8Array): boolean {
    return this.writePart(chunk, 0, chunk.length);
  }

  writePart(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (!this.sending || length === 0) return true;
    const { owner } = this;
    if (!this.queued && length <= this.#sendWindow && owner.outbound.canSend(length) && !this.#hasQueue) {
      this.#sendWindow -= length;
      owner.outbound.windowBytes -= length;
      owner.outbound.sentPieces += 1;
      owner.outbound.writer.data(this.id, bytes, start, end, false, owner.outbound.frameBytes);
      owner.requestTurn();
      return true;
    }
    this.#outgoing ??= new ByteQueue();
    this.#queue(this.#outgoing, bytes, start, end);
    this.#enqueue();
    if (this.#outgoing.bytes < queueLimits.streamBytes) return true;
    this.#drainDue = true;
    return false;
  }

  /** The window that the peer gives this stream has changed. Returns `false` when it would be too large. */
  openWindow(bytes: number): boolean {
    this.#sendWindow += bytes;
    if (this.#sendWindow > maxWindowBytes) return false;
    if (this.#sendWindow > 0 && this.#hasQueue) this.#enqueue();
    return true;
  }

  setSendWindow(bytes: number): void {
    this.#sendWindow = bytes;
  }

  sendSome(queue: OutboundQueue): SendResult {
    if (this.closed) return 'idle';
    if (this.#head !== undefined) this.#writeHead(this.#head, this.#headIsLast);
    const outgoing = this.#outgoing;
    if (outgoing !== undefined && outgoing.bytes > 0) {
      const most = Math.min(this.#sendWindow, queue.windowBytes, queue.frameBytes);
      if (most <= 0) return this.#sendWindow > 0 ? 'connection' : 'idle';
      const chunk = outgoing.take(most);
      this.#sendWindow -= chunk.length;
      queue.windowBytes -= chunk.length;
      if (this.#sendWindow > 0 && queue.windowBytes > 0) queue.sentPieces += 1;
      const isLast = outgoing.bytes === 0 && this.#endRequested && this.#trailers === undefined;
      queue.writer.data(this.id, chunk, 0, chunk.length, isLast, queue.frameBytes);
      this.#afterTake(outgoing.bytes);
      if (isLast) this.#localEnd();
      if (outgoing.bytes > 0) return this.#sendWindow > 0 ? 'more' : 'idle';
    }
    if (this.#endRequested && !this.localEnded) this.#writeEnd();
    return 'idle';
  }

  /** The head of a DATA frame with this much payload. Returns `false` when the window does not allow it. */
  takeWindow(bytes: number, padding: number): boolean {
    this.#receiveLeft -= bytes;
    this.#receiveGiven += padding;
    return this.#receiveLeft >= 0;
  }

  /** A part of the body has arrived. */
  receiveData(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.flowing && !this.#hasUnread) {
      this.#give(length);
      this.onData(bytes, start, end);
      return;
    }
    if (this.#isFull) return;
    const full = this.#budget?.take(length);
    if (full !== undefined) {
      this.#isFull = true;
      setImmediate(() => this.#onFull?.(full));
      return;
    }
    this.#unread ??= new ByteQueue();
    this.#queue(this.#unread, bytes, start, end);
    this.owner.holdUnread(length);
  }

  /** The peer has ended its half, after all of its body. */
  receiveEnd(): void {
    this.remoteEnded = true;
    if (this.flowing && !this.#hasUnread) this.onEnd();
  }

  #queue(queue: ByteQueue, bytes: Uint8Array, start: number, end: number): void {
    queue.push(partOf(bytes, start, end));
    if (isScratch(bytes)) this.owner.countCopy(end - start);
  }

  /** Sends the events that waited for `resume`. */
  deliver(): void {
    const unread = this.#unread;
    while (this.flowing && unread !== undefined && unread.bytes > 0) {
      const chunk = unread.take(unread.bytes);
      this.#budget?.give(chunk.length);
      this.owner.holdUnread(-chunk.length);
      this.#give(chunk.length);
      this.onData(chunk, 0, chunk.length);
    }
    if (this.flowing && this.remoteEnded && !this.#hasUnread) this.onEnd();
  }

  /** Drops the body that nobody will read. */
  dropUnread(): void {
    this.flowing = false;
    const bytes = this.#unread?.bytes ?? 0;
    this.#isFull = true;
    if (bytes === 0) return;
    this.#unread?.clear();
    this.#budget?.give(bytes);
    this.owner.holdUnread(-bytes);
  }

  /** Drops what was not sent. */
  dropOutgoing(): void {
    this.#outgoing?.clear();
    this.#releaseUnsent();
    this.#head = undefined;
    this.#drainDue = false;
  }

  protected get hasUndelivered(): boolean {
    return this.#hasUnread || this.remoteEnded;
  }

  /** Sends a header block now, or when the socket has room. */
  protected sendHead(fields: RawHeaders, isLast: boolean): void {
    if (isLast) this.#endRequested = true;
    if (!this.owner.outbound.congested) {
      this.#writeHead(fields, isLast);
      this.owner.requestTurn();
      return;
    }
    this.#head = fields;
    this.#headIsLast = isLast;
    this.#enqueue();
  }

  /** Ends this half after everything that was written, with trailers if there are any. */
  protected endLocal(trailers: RawHeaders | undefined): void {
    this.#endRequested = true;
    this.#trailers = trailers;
    if (this.#hasQueue || this.queued || this.owner.outbound.congested) this.#enqueue();
    else {
      this.#writeEnd();
      this.owner.requestTurn();
    }
  }

  /**
   * Counts what waits to be sent, until it is sent or dropped, in the budget of `limitUnread`: the call is over for everybody else. Returns
   * the budget that has no room for it, if there is one.
   */
  protected countUnsent(): ByteBudget | undefined {
    const bytes = this.#outgoing?.bytes ?? 0;
    if (bytes === 0) return undefined;
    const full = this.#budget?.take(bytes);
    if (full === undefined && this.#budget !== undefined) this.#unsentBytes = bytes;
    return full;
  }

  /** Called when END_STREAM was written. */
  protected onLocalEnd(): void {
    if (this.remoteEnded) this.owner.streamEnded(this);
  }

  /** Whether body, or the end of this half, waits to be sent. */
  protected get hasOutgoing(): boolean {
    return this.#hasQueue || (this.#endRequested && !this.localEnded);
  }

  get #hasQueue(): boolean {
    return this.#head !== undefined || (this.#outgoing !== undefined && this.#outgoing.bytes > 0);
  }

  get #hasUnread(): boolean {
    return this.#unread !== undefined && this.#unread.bytes > 0;
  }

  #enqueue(): void {
    this.owner.outbound.add(this);
    this.owner.requestTurn();
  }

  #writeHead(fields: RawHeaders, isLast: boolean): void {
    this.#head = undefined;
    this.owner.outbound.writer.headers(this.id, fields, isLast);
    if (isLast) this.#localEnd();
  }

  #writeEnd(): void {
    const { writer } = this.owner.outbound;
    const trailers = this.#trailers;
    if (trailers === undefined || trailers.length === 0) writer.endStream(this.id);
    else writer.headers(this.id, trailers, true);
    this.#localEnd();
  }

  #releaseUnsent(): void {
    if (this.#unsentBytes === 0) return;
    this.#budget?.give(this.#unsentBytes);
    this.#unsentBytes = 0;
  }

  #localEnd(): void {
    this.localEnded = true;
    this.#releaseUnsent();
    this.#trailers = undefined;
    this.onLocalEnd();
  }

  #afterTake(left: number): void {
    if (!this.#drainDue || left > queueLimits.streamResumeBytes) return;
    this.#drainDue = false;
    if (!this.#endRequested) this.onDrained();
  }

  /** Bytes were delivered: returns them to the peer once they are half of the window. */
  #give(bytes: number): void {
    const { owner } = this;
    this.#receiveGiven += bytes;
    if (this.remoteEnded || this.closed || 2 * this.#receiveGiven < owner.streamWindowBytes) return;
    this.#receiveLeft += this.#receiveGiven;
    owner.outbound.writer.windowUpdate(this.id, this.#receiveGiven);
    this.#receiveGiven = 0;
    owner.requestTurn();
  }
}

/** The bytes from `start` to `end`; the chunk itself when these are all. */
export function partOf<T extends Uint8Array>(bytes: T, start: number, end: number): T {
  return start === 0 && end === bytes.length ? bytes : (bytes.subarray(start, end) as T);
}
