import type { Socket } from 'node:net';
import type { CallFailure, OutboundCall, OutboundReceiver } from '../call.ts';
import { type ClientConnection, type H2Limits, Http2Violation } from '../engine.ts';
import { h2ErrorCodes, h2ErrorName } from '../error-codes.ts';
import { Liveness, type LivenessLimits } from '../liveness.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { FrameConnection } from './connection.ts';
import { protocolError } from './connection-error.ts';
import { queueLimits } from './flood-limits.ts';
import type { FrameStream } from './frame-stream.ts';
import { clientPreface, maxStreamId, settingIds } from './frame-types.ts';
import { responseHead, trailersError } from './header-rules.ts';
import type { HeaderBlock } from './hpack/header-block.ts';
import { FrameOutboundCall, type OutboundOwner } from './outbound-call.ts';
import type { EngineParts } from './socket-connection.ts';
import { clientReceptions } from './stream-states.ts';

/** Maximum length of a GOAWAY text in an error, in bytes. */
const maxDebugBytes = 200;
/** The backend may use no dynamic table, so its header blocks depend on no state. */
const tableBytes = 0;
const notHttp2 = 'it does not speak HTTP/2';

/** A connection to a backend. */
export class FrameClientConnection extends FrameConnection implements ClientConnection, OutboundOwner {
  readonly ready: Promise<void>;
  readonly requestRestMs: number;
  readonly #ready = Promise.withResolvers<void>();
  readonly #liveness: Liveness | undefined;
  readonly #prefaceTimer: NodeJS.Timeout;
  /** Calls that wait for the backend's limit on open calls, or for room in the socket. */
  readonly #waiting = new Set<FrameOutboundCall>();
  #callCount = 0;
  #nextStream = 1;
  #draining = false;
  /** The text of a GOAWAY with an error code. */
  #goaway = '';
  #hasGoaway = false;
  #failure: CallFailure | undefined;
  #pingId = 0;
  #pingAnswered: (() => void) | undefined;

  constructor(parts: EngineParts, socket: Socket, limits: H2Limits) {
    super(parts, socket, limits, false, clientReceptions);
    this.ready = this.#ready.promise;
    this.requestRestMs = limits.requestRestMs;
    // The pool awaits `ready`. When it stopped waiting earlier, a rejection must not crash the process.
    this.ready.catch(() => {});
    this.#prefaceTimer = setTimeout(() => {
      this.#failure ??= { kind: 'protocol', reason: notHttp2 };
      this.destroy();
    }, limits.prefaceTimeoutMs);
    this.#liveness = limits.liveness && this.#createLiveness(limits.liveness);
    this.writer.raw(clientPreface);
    this.begin(
      [
        [settingIds.headerTableSize, tableBytes],
        [settingIds.enablePush, 0],
        [settingIds.initialWindowSize, limits.streamWindowBytes],
        [settingIds.maxHeaderListSize, limits.maxHeaderListBytes],
      ],
      () => this.headers.allowTable(tableBytes),
    );
  }

  get usable(): boolean {
    return (
      !this.ended &&
      !this.#draining &&
      !this.#hasGoaway &&
      this.#failure === undefined &&
      this.#nextStream + 2 * this.#waiting.size <= maxStreamId
    );
  }

  get callCount(): number {
    return this.#callCount;
  }

  openCall(headers: RawHeaders, receiver: OutboundReceiver): OutboundCall | undefined {
    if (!this.usable) return undefined;
    const call = new FrameOutboundCall(this, headers, receiver);
    this.#callCount += 1;
    if (this.#callCount === 1) this.#liveness?.start();
    if (this.#waiting.size >= queueLimits.waitingCalls) {
      setImmediate(() => call.fail({ kind: 'refused' }));
      return call;
    }
    if (this.#waiting.size === 0 && this.#hasRoom) this.#start(call);
    else {
      this.#waiting.add(call);
      this.requestTurn();
    }
    return call;
  }

  drain(): void {
    this.#draining = true;
    this.requestTurn();
  }

  callOver(call: FrameOutboundCall): void {
    this.#callCount -= 1;
    this.#waiting.delete(call);
    if (this.#callCount === 0) this.#liveness?.stop();
    if (this.#draining || this.#hasGoaway || this.#waiting.size > 0) this.requestTurn();
  }

  override resetStream(stream: FrameStream, code: number): void {
    // A call that still waits has no stream.
    if (stream.id !== 0) super.resetStream(stream, code);
    else stream.closed = true;
  }

  /** Also offers the slot to a call that waits: the receiver of the closed stream may read its answer much later. */
  protected override forget(stream: FrameStream, wasReset: boolean): void {
    super.forget(stream, wasReset);
    if (this.#waiting.size > 0) this.requestTurn();
  }

  override flush(): void {
    while (this.#waiting.size > 0 && this.#hasRoom && !this.ended) {
      const [call] = this.#waiting;
      if (call === undefined) break;
      this.#waiting.delete(call);
      this.#start(call);
    }
    super.flush();
  }

  protected override get lastPeerStream(): number {
    return 0;
  }

  protected override isIdle(stream: number): boolean {
    return stream % 2 === 0 || stream >= this.#nextStream;
  }

  protected override openStream(): void {
    throw protocolError('a server opened a stream');
  }

  protected override moreHeaders(stream: FrameStream, block: HeaderBlock, endsStream: boolean): void {
    const call = stream as FrameOutboundCall;
    if (block.tooLarge) {
      this.streamError(call, h2ErrorCodes.enhanceYourCalm, 'its header list is too large');
    } else if (call.answering) this.#trailers(call, block, endsStream);
    else this.#response(call, block, endsStream);
  }

  protected override acceptsData(stream: FrameStream): boolean {
    if ((stream as FrameOutboundCall).answering) return true;
    this.streamError(stream, h2ErrorCodes.protocolError, 'its body comes before its headers');
    return false;
  }

  protected override onEndStream(stream: FrameStream): void {
    const call = stream as FrameOutboundCall;
    call.remoteEnded = true;
    call.closeAfterAnswer();
    call.receiveEnd();
  }

  protected override onReset(stream: FrameStream, code: number): void {
    const call = stream as FrameOutboundCall;
    call.fail(code === h2ErrorCodes.refusedStream ? { kind: 'refused' } : { kind: 'reset', code });
  }

  protected override streamError(stream: FrameStream, code: number, reason: string): void {
    this.resetStream(stream, code);
    (stream as FrameOutboundCall).fail({ kind: 'protocol', reason });
  }

  protected override onSettings(): void {
    clearTimeout(this.#prefaceTimer);
    if (this.#waiting.size > 0) this.requestTurn();
    // A server that refuses the connection sends GOAWAY right after its SETTINGS; then `closed` rejects
    // `ready`.
    setImmediate(() => {
      if (this.usable || this.#draining) this.#ready.resolve();
    });
  }

  protected override onGoaway(lastStream: number, code: number, debugData: Buffer): void {
    this.#hasGoaway = true;
    if (code !== h2ErrorCodes.noError) this.#goaway = `GOAWAY ${h2ErrorName(code)}${debugText(debugData)}`;
    for (const call of [...this.#waiting]) call.fail({ kind: 'refused' });
    for (const stream of this.streams.all()) {
      if (stream.id <= lastStream) continue;
      this.forget(stream, true);
      (stream as FrameOutboundCall).fail({ kind: 'refused' });
    }
    this.requestTurn();
  }

  protected override onPingAnswer(id: number): void {
    if (id !== this.#pingId) return;
    const answered = this.#pingAnswered;
    this.#pingAnswered = undefined;
    answered?.();
  }

  protected override onViolation(code: number, reason: string): void {
    this.#failure ??= { kind: 'protocol', reason: this.hasSettings ? reason : notHttp2 };
    this.terminate(code);
  }

  protected override onSocketError(message: string): void {
    this.#failure ??= { kind: 'connection-closed', reason: message };
  }

  protected override onLost(): void {
    const failure = this.#failure ?? { kind: 'connection-closed', reason: this.#goaway };
    for (const call of [...this.#waiting]) call.fail({ kind: 'refused' });
    for (const stream of this.streams.all()) {
      this.forget(stream, true);
      (stream as FrameOutboundCall).fail(failure);
    }
  }

  protected override onClose(): void {
    clearTimeout(this.#prefaceTimer);
    this.#liveness?.close();
    this.#failure ??= { kind: 'connection-closed', reason: this.#goaway };
    this.#ready.reject(readyFailure(this.#failure));
    this.onLost();
  }

  /**
   * Closes only after the last call: GOAWAY can overtake the headers of a new call, and a server on
   * node:http2 then refuses the call.
   */
  protected override afterFlush(): void {
    if (!this.#draining && !this.#hasGoaway) return;
    if (this.#callCount === 0 && this.streams.size === 0) this.terminate(h2ErrorCodes.noError);
  }

  get #hasRoom(): boolean {
    return this.streams.size < this.peer.maxConcurrentStreams && !this.outbound.congested;
  }

  #start(call: FrameOutboundCall): void {
    const id = this.#nextStream;
    this.#nextStream += 2;
    call.id = id;
    this.addStream(call);
    call.start(this.peer.initialWindowBytes);
  }

  #response(call: FrameOutboundCall, block: HeaderBlock, endsStream: boolean): void {
    const { error, status, contentLength } = responseHead(block);
    if (error !== '') {
      this.streamError(call, h2ErrorCodes.protocolError, error);
      return;
    }
    if (status < 200) {
      // An interim response: the final one follows. Source: RFC 9110, section 15.2.
      this.flood.idleFrame();
      if (endsStream || status === 101) {
        this.streamError(call, h2ErrorCodes.protocolError, 'an interim response ends it');
      }
      return;
    }
    if (endsStream) {
      call.remoteEnded = true;
      call.closeAfterAnswer();
    } else call.missingBytes = contentLength;
    call.answer(block.fields, endsStream);
  }

  #trailers(call: FrameOutboundCall, block: HeaderBlock, endsStream: boolean): void {
    const error = endsStream ? trailersError(block) : 'further headers do not end it';
    if (error !== '' || call.missingBytes > 0) {
      const reason = error === '' ? 'its body differs from its content-length' : error;
      this.streamError(call, h2ErrorCodes.protocolError, reason);
      return;
    }
    call.keepTrailers(block.fields);
    this.onEndStream(call);
  }

  #createLiveness(limits: LivenessLimits): Liveness {
    return new Liveness({
      ...limits,
      received: () => this.receivedBytes,
      ping: (answered) => this.#ping(answered),
      onDead: () => {
        this.#failure ??= { kind: 'silent' };
        this.destroy();
      },
    });
  }

  #ping(answered: () => void): void {
    if (this.ended) return;
    this.#pingId += 1;
    this.#pingAnswered = answered;
    this.writer.ping(this.#pingId);
    this.requestTurn();
  }
}

/** The text of a server's GOAWAY; all bytes except printable ASCII become `?`. */
function debugText(data: Buffer): string {
  if (data.length === 0) return '';
  return `: ${data.toString('latin1', 0, Math.min(data.length, maxDebugBytes)).replace(/[^ -~]/g, '?')}`;
}

function readyFailure(failure: CallFailure): Error {
  const text = failureText(failure);
  return failure.kind === 'protocol' ? new Http2Violation(text) : new Error(text);
}

function failureText(failure: CallFailure): string {
  const reason = failure.kind === 'connection-closed' || failure.kind === 'protocol' ? failure.reason : '';
  if (failure.kind === 'protocol') return reason;
  return reason === '' ? 'it closed the connection' : reason;
}
