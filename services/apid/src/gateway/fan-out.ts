import { faultFrom, grpcCodeFromKind } from '@nodewright/fault';
import {
  type ByteBudget,
  type GrpcStatus,
  h2ErrorCodes,
  type InboundCall,
  type InboundReceiver,
  MessageScanner,
  sendStatus,
} from '@nodewright/h2';
import type { CallProgress } from '../domain/endless-calls.ts';
import { backlogBytes } from '../domain/limits.ts';
import type { Hop } from '../domain/rewrite-metadata.ts';
import type { CallRecord, CallTarget } from './call-record.ts';
import { describeFullBudget, describePumpFailure, hopLabel, secondsText } from './describe-failure.ts';
import { FanOutTarget, type TargetEvents } from './fan-out-target.ts';
import type { Gateway } from './gateway.ts';
import { hopHeaders } from './hop-headers.ts';
import { type JointAnswer, StreamJointAnswer, UnaryJointAnswer } from './joint-answer.ts';

const cancelled: GrpcStatus = {
  code: grpcCodeFromKind('cancelled'),
  message: 'the client cancelled the call',
};

/**
 * Sends one call to several nodes and joins their responses. All targets are dialled at once. A target that
 * fails adds an error entry, and the call continues. The whole call fails only for a malformed request, a
 * passed deadline, a cancel by the client, or a byte budget that is full of the request or of a unary answer. In a
 * stream the target fails for which the budget has no more room, when the client reads too slowly.
 */
export class FanOut implements InboundReceiver, TargetEvents, CallTarget {
  readonly #gateway: Gateway;
  readonly #call: InboundCall;
  readonly #record: CallRecord;
  readonly #targets: readonly FanOutTarget[];
  readonly #streaming: boolean;
  readonly #answer: JointAnswer;
  readonly #requestLimit: number;
  readonly #request: MessageScanner;
  /** The request so far, kept while a target is still connecting. */
  #backlog: Buffer[] = [];
  #backlogBytes = 0;
  /** Bytes that this call holds of its caller's budget. */
  #heldBytes = 0;
  /** Those of them that the call has to send, and the client has not read. */
  #unreadBytes = 0;
  /** The target that is resumed first when the client has read. */
  #nextTurn = 0;
  /** The call has so much to send that it waits for the client. */
  #isBlocked = false;
  /** Messages of the targets so far. */
  #messages = 0;
  #connecting: number;
  #left: number;
  #requestEnded = false;
  #over = false;

  constructor(
    gateway: Gateway,
    call: InboundCall,
    names: readonly string[],
    streaming: boolean,
    record: CallRecord,
  ) {
    this.#gateway = gateway;
    this.#streaming = streaming;
    this.#call = call;
    this.#requestLimit = record.plan.maxRequestBytes;
    this.#request = new MessageScanner(this.#requestLimit);
    this.#record = record;
    this.#targets = names.map((name) => this.#createTarget(name));
    this.#answer = streaming ? new StreamJointAnswer(call, this.#targets) : new UnaryJointAnswer(call);
    this.#connecting = names.length;
    this.#left = names.length;
  }

  start(): void {
    const budget = this.#record.share?.bytes;
    if (budget !== undefined) this.#call.limitUnread(budget, (full) => this.#fail(describeFullBudget(full)));
    this.#call.receive(this);
    this.#call.resume();
    this.#record.target = this;
    this.#record.onDeadline(() => this.#expire());
    for (const target of this.#targets) {
      target.connect().catch((error: unknown) => this.#fail(this.#record.failInside(error)));
    }
  }

  abort(status: GrpcStatus): void {
    this.#fail(status);
  }

  progress(): CallProgress {
    const isInside = this.#targets.some(({ insideMessage }) => insideMessage);
    const connecting = this.#connecting > 0;
    return { messages: this.#messages, insideMessage: isInside, waitsForClient: this.#isBlocked, connecting };
  }

  requestData(chunk: Buffer): void {
    if (this.#over) return;
    if (this.#request.push(chunk) !== chunk.length) {
      const sizes = { sizeBytes: this.#request.declaredBytes, limitBytes: this.#requestLimit };
      this.#failRequest({ kind: 'too-large', side: 'request', ...sizes });
      return;
    }
    this.#record.follow?.push(chunk, 0, chunk.length);
    if (this.#connecting > 0) {
      const full = this.#take(chunk.length);
      if (full !== undefined) {
        this.#fail(describeFullBudget(full));
        return;
      }
      this.#backlog.push(chunk);
      this.#backlogBytes += chunk.length;
    }
    for (const target of this.#targets) target.write(chunk);
    this.#paceRequest();
  }

  requestEnded(): void {
    if (this.#over) return;
    if (this.#request.insideMessage) {
      this.#failRequest({ kind: 'truncated', side: 'request', shortfall: this.#request.shortfall });
      return;
    }
    this.#requestEnded = true;
    for (const target of this.#targets) {
      if (target.open) target.endRequest();
    }
  }

  answerDrained(): void {
    this.#isBlocked = false;
    this.#give(this.#unreadBytes);
    this.#unreadBytes = 0;
    if (this.#left === 0) this.#finish();
    else this.#resumeFrom(this.#nextTurn);
  }

  /** Who comes first fills what the client has room for, so a slow client would hear of one busy node only. */
  #resumeFrom(first: number): void {
    for (const target of this.#targets.slice(first)) target.resume();
    for (const target of this.#targets.slice(0, first)) target.resume();
  }

  cancelled(): void {
    if (this.#over) return;
    this.#over = true;
    this.#letGo();
    for (const target of this.#targets) {
      const cancel = () => target.cancel(cancelled);
      // A target that is still connecting must not open its call.
      if (target.wasOpened) this.#gateway.cancels.add(this.#record.queue, cancel);
      else cancel();
    }
    this.#record.cancelled(cancelled);
  }

  opened(target: FanOutTarget): void {
    if (this.#isBlocked) target.pause();
    for (const chunk of this.#backlog) target.write(chunk);
    if (this.#requestEnded) target.endRequest();
    this.#connected();
  }

  message(target: FanOutTarget, body: Buffer): void {
    if (this.#over) return;
    this.#messages += 1;
    try {
      if (this.#answer.message(target, body)) return;
      this.#isBlocked = true;
      this.#nextTurn = this.#targets.indexOf(target) + 1;
      for (const each of this.#targets) each.pause();
    } catch (error) {
      // A response of another shape is a failure of this target.
      const { message } = faultFrom(error);
      target.refuse({ code: grpcCodeFromKind('unknown'), message });
    }
  }

  held(target: FanOutTarget, bytes: number): boolean {
    if (this.#over) return false;
    const full = this.#take(bytes);
    if (full !== undefined) this.full(target, full);
    return full === undefined;
  }

  full(target: FanOutTarget, budget: ByteBudget): void {
    if (this.#over) return;
    // A unary answer needs all of them.
    if (this.#streaming) target.refuseUnread(budget);
    else this.#fail(describeFullBudget(budget));
  }

  passed(bytes: number): void {
    // A unary joint answer keeps the bytes of all targets until it is complete.
    if (!this.#streaming) return;
    if (this.#isBlocked) this.#unreadBytes += bytes;
    else this.#give(bytes);
  }

  drained(): void {
    if (!this.#over) this.#paceRequest();
  }

  ended(target: FanOutTarget, status: GrpcStatus): void {
    if (this.#over) return;
    if (!target.wasOpened) this.#connected();
    this.#answer.ended(target, status);
    this.#left -= 1;
    if (this.#left > 0) {
      this.#paceRequest();
      return;
    }
    if (!this.#answer.complete()) this.#isBlocked = true;
    if (!this.#isBlocked) this.#finish();
  }

  /** Ends the call. What the client has not read is counted by the call from here on. */
  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#letGo();
    const full = this.#answer.finish();
    this.#record.finish(full === undefined ? { code: 0, message: '' } : describeFullBudget(full));
  }

  #createTarget(name: string): FanOutTarget {
    const hop: Hop = { kind: 'node', name };
    const span = this.#record.startHop(hop);
    return new FanOutTarget({
      gateway: this.#gateway,
      name,
      label: hopLabel(hop, this.#gateway.identity().hostname),
      span,
      lane: this.#record.lane,
      unread: this.#record.share?.bytes,
      events: this,
      headers: () => hopHeaders(this.#call, hop, this.#record, span, false),
    });
  }

  /** One target fewer may need the backlog. */
  #connected(): void {
    this.#connecting -= 1;
    if (this.#connecting > 0) return;
    this.#give(this.#backlogBytes);
    this.#backlog = [];
    this.#backlogBytes = 0;
    this.#paceRequest();
  }

  /** Takes bytes of the caller's budget. Returns the budget that is full, if there is one. */
  #take(bytes: number): ByteBudget | undefined {
    const full = this.#record.share?.bytes.take(bytes);
    if (full === undefined) this.#heldBytes += bytes;
    return full;
  }

  #give(bytes: number): void {
    const given = Math.min(bytes, this.#heldBytes);
    this.#heldBytes -= given;
    this.#record.share?.bytes.give(given);
  }

  #letGo(): void {
    this.#give(this.#heldBytes);
  }

  #paceRequest(): void {
    const full = this.#connecting > 0 && this.#backlogBytes > backlogBytes;
    if (full || this.#targets.some(({ congested }) => congested)) this.#call.pause();
    else this.#call.resume();
  }

  #expire(): void {
    const waiting = this.#targets
      .filter(({ over }) => !over)
      .map(({ name }) => `node ${JSON.stringify(name)}`);
    const { hostname } = this.#gateway.identity();
    const after = secondsText(this.#record.timeoutMs ?? 0);
    const subject = waiting.length === 0 ? 'the client to read the answer' : waiting.join(', ');
    this.#fail({
      code: grpcCodeFromKind('deadline-exceeded'),
      message: `deadline exceeded after ${after} while waiting for ${subject} (via ${hostname})`,
    });
  }

  #failRequest(failure: Parameters<typeof describePumpFailure>[1]): void {
    // The client caused this failure, so the text names no hop.
    this.#fail(
      describePumpFailure({ subject: 'the client', via: '', isNode: false }, failure, this.#call.path),
    );
  }

  /** Ends the whole call with a status of apid's own. */
  #fail(status: GrpcStatus): void {
    if (this.#over) return;
    this.#over = true;
    this.#letGo();
    for (const target of this.#targets) target.cancel(status);
    // What waits for a client that does not read would stay in memory behind the status, and count nowhere.
    if (this.#isBlocked) this.#call.reset(h2ErrorCodes.cancel);
    else sendStatus(this.#call, status, this.#answer.answering);
    this.#record.finish(status);
  }
}
