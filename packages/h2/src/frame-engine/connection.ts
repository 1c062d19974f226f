import type { Socket } from 'node:net';
import type { H2Limits } from '../engine.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { ConnectionError, flowControlError, frameSizeError, protocolError } from './connection-error.ts';
import { queueLimits } from './flood-limits.ts';
import { FloodMeter } from './flood-meter.ts';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import type { FrameStream, StreamOwner } from './frame-stream.ts';
import {
  defaultTableBytes,
  defaultWindowBytes,
  frameFlags,
  frameTypes,
  pingBytes,
  priorityBytes,
} from './frame-types.ts';
import { blockStart, HeaderAssembler } from './header-assembler.ts';
import type { HeaderBlock } from './hpack/header-block.ts';
import { PeerSettings } from './peer-settings.ts';
import { type EngineParts, SocketConnection } from './socket-connection.ts';
import {
  ClosedStreams,
  errorCodeOf,
  type Reception,
  type StreamFrame,
  type StreamState,
} from './stream-states.ts';
import { StreamTable } from './stream-table.ts';

type Receptions = Readonly<Record<StreamState, Readonly<Record<StreamFrame, Reception>>>>;

/** What both roles do with the frames of a connection. */
export abstract class FrameConnection extends SocketConnection implements FrameSink, StreamOwner {
  readonly streamWindowBytes: number;
  protected readonly limits: H2Limits;
  protected readonly streams = new StreamTable();
  protected readonly closedStreams = new ClosedStreams();
  protected readonly flood = new FloodMeter(this.outbound);
  protected readonly peer = new PeerSettings();
  protected readonly headers: HeaderAssembler;
  /** The peer's first SETTINGS have arrived. */
  protected hasSettings = false;
  readonly #reader = new FrameReader(this);
  readonly #isServer: boolean;
  readonly #receptions: Receptions;
  /** What to do when the peer acknowledges each of the SETTINGS that were sent. */
  readonly #unacknowledged: (() => void)[] = [];
  #settingsTimer: NodeJS.Timeout | undefined;
  readonly #windowBytes: number;
  #windowLeft: number;
  #windowGiven = 0;
  #unreadBytes = 0;
  /** The stream of the DATA frame that arrives now; `undefined` when its bytes are dropped. */
  #dataStream: FrameStream | undefined;
  #dataFlags = 0;

  constructor(
    parts: EngineParts,
    socket: Socket,
    limits: H2Limits,
    isServer: boolean,
    receptions: Receptions,
  ) {
    super(parts, socket);
    this.limits = limits;
    this.#isServer = isServer;
    this.#receptions = receptions;
    this.streamWindowBytes = limits.streamWindowBytes;
    this.headers = new HeaderAssembler(limits.maxHeaderListBytes);
    this.#windowBytes = Math.max(defaultWindowBytes, limits.connectionWindowBytes);
    this.#windowLeft = this.#windowBytes;
  }

  /** Decides about HEADERS that open a stream. */
  protected abstract openStream(stream: number, block: HeaderBlock, endsStream: boolean): void;
  /** Further HEADERS of an open stream. */
  protected abstract moreHeaders(stream: FrameStream, block: HeaderBlock, endsStream: boolean): void;
  /** Whether no frame has opened this stream yet. */
  protected abstract isIdle(stream: number): boolean;
  protected abstract onReset(stream: FrameStream, code: number): void;
  /** A frame violates the rules for its stream, which ends with this code. */
  protected abstract streamError(stream: FrameStream, code: number, reason: string): void;
  /** The peer has ended its half of the stream. */
  protected abstract onEndStream(stream: FrameStream): void;
  protected abstract onSettings(): void;
  protected abstract onGoaway(lastStream: number, code: number, debugData: Buffer): void;
  protected abstract onPingAnswer(id: number): void;
  /**
   * Sends the first frames: SETTINGS, and the window of the connection. The peer must acknowledge these SETTINGS
   * in time. Those that follow have no limit: a client that reads slowly gets them late.
   */
  protected begin(settings: readonly (readonly [number, number])[], onAcknowledged: () => void): void {
    const { settingsTimeoutMs } = this.limits;
    this.#settingsTimer = setTimeout(() => {
      const reason = `it did not acknowledge SETTINGS within ${settingsTimeoutMs} ms`;
      this.onViolation(h2ErrorCodes.settingsTimeout, reason);
    }, settingsTimeoutMs);
    this.sendSettings(settings, () => {
      clearTimeout(this.#settingsTimer);
      onAcknowledged();
    });
    const more = this.#windowBytes - defaultWindowBytes;
    if (more > 0) this.writer.windowUpdate(0, more);
    this.outbound.flush();
  }

  protected sendSettings(settings: readonly (readonly [number, number])[], onAcknowledged: () => void): void {
    this.#unacknowledged.push(onAcknowledged);
    this.writer.settings(...settings);
    this.requestTurn();
  }

  holdUnread(bytes: number): void {
    this.#unreadBytes += bytes;
    if (bytes < 0) this.#returnWindow();
  }

  resetStream(stream: FrameStream, code: number): void {
    if (stream.closed) return;
    this.writer.resetStream(stream.id, code);
    this.forget(stream, !stream.remoteEnded);
    this.requestTurn();
  }

  streamEnded(stream: FrameStream): void {
    this.forget(stream, false);
  }

  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    this.#checkOrder(type, flags);
    switch (type) {
      case frameTypes.headers:
        this.#headersFrame(flags, stream, bytes, start, end);
        return;
      case frameTypes.continuation: {
        const block = this.headers.continue(stream, flags, bytes, start, end);
        if (block !== undefined) this.#block(stream, block, this.headers.endsStream);
        return;
      }
      case frameTypes.windowUpdate:
        this.#windowUpdate(stream, bytes, start, end);
        return;
      case frameTypes.resetStream:
        this.#resetFrame(stream, bytes, start, end);
        return;
      case frameTypes.settings:
        this.#settingsFrame(flags, stream, bytes, start, end);
        return;
      case frameTypes.ping:
        this.#pingFrame(flags, stream, bytes, start, end);
        return;
      case frameTypes.goaway:
        if (stream !== 0) throw protocolError('GOAWAY has a stream');
        if (end - start < 8) throw frameSizeError('GOAWAY is too short');
        this.onGoaway(
          bytes.readUInt32BE(start) & 0x7fff_ffff,
          bytes.readUInt32BE(start + 4),
          bytes.subarray(start + 8, end),
        );
        return;
      case frameTypes.pushPromise:
        throw protocolError('PUSH_PROMISE is not allowed');
      case frameTypes.priority:
        this.#priorityFrame(stream, bytes, start, end);
        return;
      default:
        this.flood.idleFrame();
    }
  }

  dataHead(flags: number, id: number, length: number, size: number): void {
    this.#checkOrder(frameTypes.data, flags);
    if (id === 0) throw protocolError('DATA has no stream');
    this.#windowLeft -= length;
    if (this.#windowLeft < 0) throw flowControlError('the peer exceeds the window of the connection');
    this.#windowGiven += length;
    this.#returnWindow();
    this.#dataFlags = flags;
    this.#dataStream = undefined;
    if (size > 0) this.flood.usefulFrame();
    else if ((flags & frameFlags.endStream) === 0) this.flood.idleFrame();
    const stream = this.streams.get(id);
    if (stream === undefined || stream.remoteEnded) {
      if (this.#receive('data', id, stream) === 'ignore') this.flood.idleFrame();
      return;
    }
    if (!stream.takeWindow(length, length - size)) {
      this.streamError(stream, h2ErrorCodes.flowControlError, 'it exceeds the window of its stream');
      return;
    }
    if (stream.missingBytes >= 0) {
      stream.missingBytes -= size;
      const isWrong =
        (flags & frameFlags.endStream) !== 0 ? stream.missingBytes !== 0 : stream.missingBytes < 0;
      if (isWrong) {
        this.streamError(stream, h2ErrorCodes.protocolError, 'its body differs from its content-length');
        return;
      }
    }
    if (!this.acceptsData(stream)) return;
    this.#dataStream = stream;
  }

  dataPart(bytes: Buffer, start: number, end: number): void {
    const stream = this.#dataStream;
    if (stream !== undefined && !stream.closed) stream.receiveData(bytes, start, end);
  }

  dataEnd(): void {
    const stream = this.#dataStream;
    this.#dataStream = undefined;
    if (stream === undefined || stream.closed || (this.#dataFlags & frameFlags.endStream) === 0) return;
    this.onEndStream(stream);
  }

  /** Whether the stream may have a body now; otherwise this ends it. */
  protected acceptsData(_stream: FrameStream): boolean {
    return true;
  }

  protected addStream(stream: FrameStream): void {
    this.streams.add(stream);
    this.streamOpened();
  }

  protected forget(stream: FrameStream, wasReset: boolean): void {
    if (stream.closed) return;
    stream.closed = true;
    stream.dropOutgoing();
    if (this.streams.delete(stream)) this.streamClosed();
    this.closedStreams.add(stream.id, wasReset);
  }

  protected override readBytes(bytes: Buffer, start: number, end: number): void {
    this.#reader.read(bytes, start, end);
  }

  protected override stopReading(): void {
    clearTimeout(this.#settingsTimer);
    this.#reader.stop();
  }

  #checkOrder(type: number, flags: number): void {
    if (this.headers.stream !== 0 && type !== frameTypes.continuation) {
      throw protocolError('a frame interrupts a header block');
    }
    if (this.hasSettings) return;
    if (type !== frameTypes.settings || (flags & frameFlags.acknowledge) !== 0) {
      throw protocolError('the first frame is not SETTINGS');
    }
  }

  #headersFrame(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream === 0) throw protocolError('HEADERS has no stream');
    const from = blockStart(stream, flags, bytes, start, end);
    const block = this.headers.begin(stream, flags, bytes, from, end);
    if (block !== undefined) this.#block(stream, block, (flags & frameFlags.endStream) !== 0);
  }

  #block(id: number, block: HeaderBlock, endsStream: boolean): void {
    const stream = this.streams.get(id);
    const reception = this.#receive('headers', id, stream);
    if (reception === 'ignore') this.flood.idleFrame();
    if (reception !== 'accept') return;
    if (stream === undefined) {
      this.flood.usefulFrame();
      this.openStream(id, block, endsStream);
    } else if (!stream.closed) this.moreHeaders(stream, block, endsStream);
  }

  /** Looks up what to do with a frame, and does it unless the frame is to be accepted or ignored. */
  #receive(frame: StreamFrame, id: number, stream: FrameStream | undefined): Reception {
    const state = stream?.state ?? (this.isIdle(id) ? 'idle' : this.closedStreams.stateOf(id));
    const reception = this.#receptions[state][frame];
    if (reception === 'protocol-error' || reception === 'closed-error') {
      throw new ConnectionError(errorCodeOf(reception), `${frame} for a stream that is ${state}`);
    }
    if (reception === 'reset-closed' && stream !== undefined) {
      this.streamError(stream, h2ErrorCodes.streamClosed, 'it goes on after its end');
    }
    return reception;
  }

  #windowUpdate(id: number, bytes: Buffer, start: number, end: number): void {
    if (end - start !== 4) throw frameSizeError('WINDOW_UPDATE has the wrong size');
    this.flood.idleFrame();
    const increment = bytes.readUInt32BE(start) & 0x7fff_ffff;
    if (id === 0) {
      if (increment === 0) throw protocolError('WINDOW_UPDATE adds nothing');
      if (!this.outbound.open(increment)) throw flowControlError('the window of the connection is too large');
      this.requestTurn();
      return;
    }
    const stream = this.streams.get(id);
    if (this.#receive('windowUpdate', id, stream) !== 'accept' || stream === undefined) return;
    if (increment === 0)
      this.streamError(stream, h2ErrorCodes.protocolError, 'its WINDOW_UPDATE adds nothing');
    else if (!stream.openWindow(increment)) {
      this.streamError(stream, h2ErrorCodes.flowControlError, 'its window is too large');
    }
  }

  #resetFrame(id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) throw protocolError('RST_STREAM has no stream');
    if (end - start !== 4) throw frameSizeError('RST_STREAM has the wrong size');
    const stream = this.streams.get(id);
    const reception = this.#receive('resetStream', id, stream);
    if (reception === 'ignore') this.flood.idleFrame();
    if (stream === undefined) return;
    this.forget(stream, false);
    this.onReset(stream, bytes.readUInt32BE(start));
  }

  #settingsFrame(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream !== 0) throw protocolError('SETTINGS has a stream');
    if ((flags & frameFlags.acknowledge) !== 0) {
      if (end > start) throw frameSizeError('an acknowledgement of SETTINGS has settings');
      const acknowledged = this.#unacknowledged.shift();
      if (acknowledged === undefined) throw protocolError('there are no SETTINGS to acknowledge');
      acknowledged();
      return;
    }
    this.flood.idleFrame();
    const { initialWindowBytes } = this.peer;
    this.peer.read(bytes, start, end, this.#isServer);
    const more = this.peer.initialWindowBytes - initialWindowBytes;
    if (more !== 0) {
      for (const open of this.streams.all()) {
        if (!open.openWindow(more)) throw flowControlError('INITIAL_WINDOW_SIZE makes a window too large');
      }
    }
    this.outbound.setFrameBytes(this.peer.maxFrameBytes);
    if (this.peer.smallestTableBytes < defaultTableBytes) this.writer.dropTable();
    this.writer.settingsAnswer();
    this.countAnswer();
    this.hasSettings = true;
    this.onSettings();
  }

  #pingFrame(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream !== 0) throw protocolError('PING has a stream');
    if (end - start !== pingBytes) throw frameSizeError('PING has the wrong size');
    if ((flags & frameFlags.acknowledge) !== 0) {
      this.onPingAnswer(bytes.readUInt32BE(start + 4));
      return;
    }
    this.flood.idleFrame();
    this.writer.pingAnswer(bytes, start);
    this.countAnswer();
  }

  #priorityFrame(stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream === 0) throw protocolError('PRIORITY has no stream');
    if (end - start !== priorityBytes) throw frameSizeError('PRIORITY has the wrong size');
    if ((bytes.readUInt32BE(start) & 0x7fff_ffff) === stream)
      throw protocolError('a stream depends on itself');
    this.flood.idleFrame();
  }

  /** Returns received bytes to the peer, once they are half of the window and most of them were read. */
  #returnWindow(): void {
    if (2 * this.#windowGiven < this.#windowBytes || this.#unreadBytes > queueLimits.unreadBytes) return;
    if (this.ended) return;
    this.writer.windowUpdate(0, this.#windowGiven);
    this.#windowLeft += this.#windowGiven;
    this.#windowGiven = 0;
    this.requestTurn();
  }
}
