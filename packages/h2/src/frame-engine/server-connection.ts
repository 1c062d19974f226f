import type { Socket } from 'node:net';
import type { H2Limits, ServerConnection, ServerHandlers } from '../engine.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { monotonicMs } from '../monotonic.ts';
import { TokenBucket } from '../token-bucket.ts';
import { FrameConnection } from './connection.ts';
import { protocolError } from './connection-error.ts';
import { endLimits } from './flood-limits.ts';
import type { FrameStream } from './frame-stream.ts';
import { clientPreface, settingIds } from './frame-types.ts';
import { requestHead, trailersError } from './header-rules.ts';
import type { HeaderBlock } from './hpack/header-block.ts';
import { FrameInboundCall } from './inbound-call.ts';
import type { EngineParts } from './socket-connection.ts';
import { serverReceptions } from './stream-states.ts';

/** How long a client may take to read and acknowledge a lower limit on its calls, in milliseconds. */
const lowerGraceMs = 5000;

/** A client's connection. */
export class FrameServerConnection extends FrameConnection implements ServerConnection {
  readonly #handlers: ServerHandlers;
  readonly #cancels: TokenBucket | undefined;
  #prefaceTimer: NodeJS.Timeout | undefined;
  /** Bytes of the client's preface that have arrived. */
  #prefaceBytes = 0;
  #lastStream = 0;
  /** The last call that is served after a GOAWAY; `undefined` before. */
  #lastAccepted: number | undefined;
  /** The limit on open calls that the client knows, and the last one that was sent. */
  #knownLimit = Number.POSITIVE_INFINITY;
  #sentLimit: number;
  /** The limit before it was lowered. Until `#lowersAtMs` the client may not know the new one: what it opens is served. */
  #formerLimit = 0;
  #lowersAtMs = 0;
  #isReported = false;
  /** Closes the connection if the client does not, once the last call of a drained connection is over. */
  #drained: NodeJS.Timeout | undefined;

  constructor(parts: EngineParts, socket: Socket, limits: H2Limits, handlers: ServerHandlers) {
    super(parts, socket, limits, true, serverReceptions);
    this.#handlers = handlers;
    this.#sentLimit = limits.maxConcurrentCalls;
    this.#cancels = limits.cancels === undefined ? undefined : new TokenBucket(limits.cancels);
    this.#prefaceTimer = setTimeout(() => {
      this.#report(`the client sent no HTTP/2 preface within ${limits.prefaceTimeoutMs} ms`);
      this.destroy();
    }, limits.prefaceTimeoutMs);
    this.begin(
      [
        [settingIds.enablePush, 0],
        [settingIds.maxConcurrentStreams, limits.maxConcurrentCalls],
        [settingIds.initialWindowSize, limits.streamWindowBytes],
        [settingIds.maxHeaderListSize, limits.maxHeaderListBytes],
      ],
      () => {
        this.#knownLimit = limits.maxConcurrentCalls;
      },
    );
  }

  get callCount(): number {
    return this.streams.size;
  }

  allowCalls(count: number, onAcknowledged: () => void): void {
    if (this.ended || this.#lastAccepted !== undefined) return;
    if (count < this.#sentLimit) {
      this.#formerLimit = this.#sentLimit;
      this.#lowersAtMs = monotonicMs() + lowerGraceMs;
    }
    this.#sentLimit = count;
    this.sendSettings([[settingIds.maxConcurrentStreams, count]], () => {
      this.#knownLimit = count;
      onAcknowledged();
    });
  }

  drain(): void {
    if (this.ended || this.#lastAccepted !== undefined) return;
    this.#lastAccepted = this.#lastStream;
    this.awaitsWrites = true;
    this.writer.goaway(this.#lastStream, h2ErrorCodes.noError);
    this.requestTurn();
  }

  end(code: number, reason: string): void {
    if (this.ended) return;
    this.#report(reason);
    this.terminate(code);
  }

  protected override readBytes(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (this.#prefaceBytes < clientPreface.length && at < end) {
      if (bytes[at] !== clientPreface[this.#prefaceBytes]) throw protocolError('it does not speak HTTP/2');
      at += 1;
      this.#prefaceBytes += 1;
    }
    super.readBytes(bytes, at, end);
  }

  protected override get lastPeerStream(): number {
    return this.#lastAccepted ?? this.#lastStream;
  }

  protected override isIdle(stream: number): boolean {
    return stream % 2 === 0 || stream > this.#lastStream;
  }

  protected override openStream(id: number, block: HeaderBlock, endsStream: boolean): void {
    if (id % 2 === 0) throw protocolError('a client opened a stream with an even number');
    this.#lastStream = id;
    if (this.#lastAccepted !== undefined) {
      // The client learns from the GOAWAY that the call is not served. Its frames are ignored.
      this.flood.idleFrame();
      this.closedStreams.add(id, true);
      return;
    }
    if (this.streams.size >= this.#knownLimit) throw protocolError('the client exceeds its limit on calls');
    if (this.streams.size >= this.#sentLimit && !this.#mayNotKnow()) {
      this.#refuse(id, h2ErrorCodes.refusedStream, endsStream);
      return;
    }
    if (block.tooLarge) {
      this.#refuse(id, h2ErrorCodes.enhanceYourCalm, endsStream);
      return;
    }
    const head = requestHead(block);
    if (head.error !== '' || (endsStream && head.contentLength > 0)) {
      this.#refuse(id, h2ErrorCodes.protocolError, endsStream);
      this.#countCancel();
      return;
    }
    const call = new FrameInboundCall(this, id, this.peer.initialWindowBytes, block.fields, head);
    this.addStream(call);
    if (endsStream) call.remoteEnded = true;
    this.#handlers.onCall(call);
  }

  /** Whether the limit was lowered so recently that the client may have opened its next call before it read that. */
  #mayNotKnow(): boolean {
    return (
      this.#knownLimit > this.#sentLimit &&
      this.streams.size < this.#formerLimit &&
      monotonicMs() < this.#lowersAtMs
    );
  }

  protected override moreHeaders(stream: FrameStream, block: HeaderBlock, endsStream: boolean): void {
    if (block.tooLarge) this.streamError(stream, h2ErrorCodes.enhanceYourCalm);
    else if (!endsStream || trailersError(block) !== '' || stream.missingBytes > 0) {
      this.streamError(stream, h2ErrorCodes.protocolError);
    } else this.onEndStream(stream);
  }

  protected override onEndStream(stream: FrameStream): void {
    stream.receiveEnd();
    if (stream.localEnded && !stream.closed) this.streamEnded(stream);
  }

  protected override onReset(stream: FrameStream, code: number): void {
    this.#endCall(stream, code);
  }

  /** The client violated the rules for one stream. That costs as much as a cancel, and counts as one. */
  protected override streamError(stream: FrameStream, code: number): void {
    this.resetStream(stream, code);
    this.#endCall(stream, h2ErrorCodes.cancel);
  }

  protected override forget(stream: FrameStream, wasReset: boolean): void {
    super.forget(stream, wasReset);
    stream.dropUnread();
    if (this.#lastAccepted !== undefined) this.requestTurn();
  }

  protected override onSettings(): void {
    clearTimeout(this.#prefaceTimer);
  }

  protected override onGoaway(): void {
    // The client accepts no pushes, and there are none. Its calls continue.
    this.flood.idleFrame();
  }

  protected override onPingAnswer(): void {}

  protected override onViolation(code: number, reason: string): void {
    this.end(code, this.hasSettings ? reason : `the client does not speak HTTP/2: ${reason}`);
  }

  protected override onSocketError(message: string): void {
    this.#report(message);
  }

  protected override onLost(): void {
    for (const stream of this.streams.all()) {
      this.forget(stream, false);
      (stream as FrameInboundCall).cancel(h2ErrorCodes.cancel);
    }
  }

  protected override onClose(): void {
    clearTimeout(this.#prefaceTimer);
    clearTimeout(this.#drained);
    this.onLost();
  }

  /**
   * A drained connection closes after its last call. The client should close it: node:http2 loses the end of
   * a response when the connection closes right after it.
   */
  protected override afterFlush(): void {
    if (this.#lastAccepted === undefined || this.streams.size > 0 || !this.socketIsIdle) return;
    this.#drained ??= setTimeout(() => this.terminate(h2ErrorCodes.noError), endLimits.lingerMs);
  }

  #refuse(id: number, code: number, endsStream: boolean): void {
    this.flood.idleFrame();
    this.writer.resetStream(id, code);
    this.closedStreams.add(id, !endsStream);
    this.countAnswer();
  }

  #endCall(stream: FrameStream, code: number): void {
    const call = stream as FrameInboundCall;
    const wasAnswered = call.answered;
    call.cancel(code);
    if (!wasAnswered) this.#countCancel();
  }

  #countCancel(): void {
    if (this.ended || this.#cancels?.take(monotonicMs()) !== false) return;
    this.end(h2ErrorCodes.enhanceYourCalm, 'too many cancelled calls');
  }

  #report(reason: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#handlers.onError(reason);
  }
}
