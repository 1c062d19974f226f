import type { Socket } from 'node:net';
import { readInBlocks } from '../connect-unix.ts';
import { scratch } from '../read-blocks.ts';
import { readIntoScratch } from '../read-into-scratch.ts';
import type { BulkReads } from './bulk-reads.ts';
import { ConnectionError, enhanceYourCalm } from './connection-error.ts';
import { endLimits, floodLimits } from './flood-limits.ts';
import type { FrameStream } from './frame-stream.ts';
import { FrameWriter, type WrittenListener } from './frame-writer.ts';
import type { HpackEncoder } from './hpack/hpack-encoder.ts';
import { OutboundQueue } from './outbound-queue.ts';
import type { Turns, TurnTaker } from './turns.ts';

/** What all connections of an engine share. */
export interface EngineParts {
  readonly turns: Turns;
  readonly bulkReads: BulkReads;
  readonly encoder: HpackEncoder;
}

/**
 * After a read of at least this size its frames are written before the next read: as one piece, where TLS would first copy the pieces
 * of several reads into one.
 */
const earlyBytes = 32 * 1024;

/** The socket under a connection: what it reads and writes in each turn, and how it ends. */
export abstract class SocketConnection implements TurnTaker {
  turnDue = false;
  /** No frame is sent or read any more. */
  ended = false;
  readonly outbound: OutboundQueue;
  readonly closed: Promise<void>;
  protected readonly writer: FrameWriter;
  protected receivedBytes = 0;
  readonly #socket: Socket;
  readonly #turns: Turns;
  readonly #bulkReads: BulkReads;
  #deliveries: FrameStream[] = [];
  #spareDeliveries: FrameStream[] = [];
  /** Answers that the socket has not written. */
  #answers = 0;
  /** Those of them that are still collected. */
  #collectedAnswers = 0;
  /** How many answers each write has whose end the socket has not reported, the oldest first. */
  readonly #answersOfWrites: number[] = [];
  /** Whether `afterFlush` runs when a write is complete, too. */
  protected awaitsWrites = false;
  #isLost = false;
  #linger: NodeJS.Timeout | undefined;
  #lingerBytes = 0;

  constructor(parts: EngineParts, socket: Socket) {
    this.#turns = parts.turns;
    this.#bulkReads = parts.bulkReads;
    this.#socket = socket;
    this.writer = new FrameWriter(socket, parts.encoder, (bytes) => this.countCopy(bytes));
    this.outbound = new OutboundQueue(this.writer, socket);
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    socket.on('error', (error) => this.onSocketError(error.message));
    // Otherwise a small frame waits up to 40 ms for the acknowledgement of the one before it.
    socket.setNoDelay(true);
    const readChunk = (chunk: Buffer, end: number) => {
      this.#turns.beginRead();
      try {
        this.#read(chunk, 0, end);
      } finally {
        this.#turns.endRead(false);
      }
    };
    readIntoScratch(socket, (end) => readChunk(scratch, end));
    socket.on('data', (chunk: Buffer) => {
      this.countCopy(chunk.length);
      readChunk(chunk, chunk.length);
    });
    readInBlocks(socket, (block, start, end) => {
      this.#turns.beginRead();
      try {
        this.#read(block.memory, start, end);
        // What nobody holds was dropped or copied, and the copy is new memory.
        if (!block.isShared) this.countCopy(end - start);
      } finally {
        this.#turns.endRead(end - start >= earlyBytes);
      }
    });
    socket.on('drain', () => {
      this.outbound.drained();
      this.requestTurn();
    });
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      this.ended = true;
      this.stopReading();
      clearTimeout(this.#linger);
      this.onClose();
      closed.resolve();
    });
  }

  /** Reads the next bytes of the peer, from `start` to `end`. @throws ConnectionError */
  protected abstract readBytes(bytes: Buffer, start: number, end: number): void;
  /** Drops the rest of the bytes that are being read. */
  protected abstract stopReading(): void;
  /** The bytes violate HTTP/2. */
  protected abstract onViolation(code: number, reason: string): void;
  protected abstract onSocketError(message: string): void;
  /** The connection has ended: every call must be informed. */
  protected abstract onLost(): void;
  /** The socket is closed. */
  protected abstract onClose(): void;
  /** The turn is over, or a write; the connection may be complete. */
  protected abstract afterFlush(): void;
  /** The last stream of the peer that was accepted, for GOAWAY. */
  protected abstract get lastPeerStream(): number;

  requestTurn(): void {
    this.#turns.request(this);
  }

  countCopy(bytes: number): void {
    this.#bulkReads.count(bytes);
  }

  protected streamOpened(): void {
    this.#turns.streamOpened();
  }

  protected streamClosed(): void {
    this.#turns.streamClosed();
  }

  deliverLater(stream: FrameStream): void {
    if (stream.deliveryDue) return;
    stream.deliveryDue = true;
    this.#deliveries.push(stream);
    this.requestTurn();
  }

  deliver(): void {
    if (this.#isLost) this.onLost();
    const due = this.#deliveries;
    if (due.length === 0) return;
    this.#deliveries = this.#spareDeliveries;
    for (const stream of due) {
      stream.deliveryDue = false;
      stream.deliver();
    }
    due.length = 0;
    this.#spareDeliveries = due;
  }

  flush(): void {
    if (this.ended) return;
    this.outbound.pump();
    if (this.outbound.flush(this.#nextWritten())) this.requestTurn();
    this.afterFlush();
  }

  destroy(): void {
    this.ended = true;
    this.stopReading();
    this.#socket.destroy();
  }

  protected get socketIsIdle(): boolean {
    return this.#socket.writableLength === 0;
  }

  /** @throws ConnectionError when the peer reads none of the answers that it causes */
  protected countAnswer(): void {
    this.#answers += 1;
    this.#collectedAnswers += 1;
    if (this.#answers > floodLimits.waitingAnswers) throw enhanceYourCalm('the peer does not read answers');
    this.requestTurn();
  }

  /** Sends GOAWAY, lets the peer read it, and closes the socket. The calls are informed in the next turn. */
  protected terminate(code: number): void {
    if (this.ended) return;
    this.writer.goaway(this.lastPeerStream, code);
    this.writer.flush();
    this.ended = true;
    this.#isLost = true;
    this.stopReading();
    this.#socket.end();
    this.#linger = setTimeout(() => this.#socket.destroy(), endLimits.lingerMs);
    this.requestTurn();
  }

  /**
   * What to call when the next write is complete. Nothing for most writes, because a call costs time. Only this tells what the peer has
   * taken: the buffer of a TLS socket is never empty right after a write, and that of any socket is not while much is sent.
   */
  #nextWritten(): WrittenListener | undefined {
    const answers = this.#collectedAnswers;
    if ((answers === 0 && !this.awaitsWrites) || this.writer.pendingBytes === 0) return undefined;
    this.#collectedAnswers = 0;
    this.#answersOfWrites.push(answers);
    return this.#onWritten;
  }

  readonly #onWritten: WrittenListener = () => {
    this.#answers -= this.#answersOfWrites.shift() ?? 0;
    if (this.awaitsWrites && !this.ended) this.afterFlush();
  };

  #read(bytes: Buffer, start: number, end: number): void {
    this.receivedBytes += end - start;
    if (this.ended) {
      this.#lingerBytes += end - start;
      if (this.#lingerBytes > endLimits.lingerBytes) this.#socket.destroy();
      return;
    }
    try {
      this.readBytes(bytes, start, end);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.onViolation(error.code, error.message);
    }
    if (this.writer.pendingBytes > 0) this.requestTurn();
  }
}
