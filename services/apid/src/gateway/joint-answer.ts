import { grpcCodeFromKind } from '@nodewright/fault';
import {
  type ByteBudget,
  type GrpcStatus,
  headerValue,
  type InboundCall,
  messagePrefix,
  type RawHeaders,
} from '@nodewright/h2';
import {
  hostnameField,
  labelledEntry,
  streamFailure,
  type TargetFailure,
  unaryEntry,
  unaryFailure,
} from '../domain/aggregate.ts';
import type { FanOutTarget } from './fan-out-target.ts';

/** Builds one response from the responses of several targets. */
export interface JointAnswer {
  /**
   * Takes a message of a target. Returns `false` when the targets must pause until the client has read.
   * @throws Fault `unknown` when the message cannot be labelled with the target's name
   */
  message(target: FanOutTarget, body: Buffer): boolean;
  /** The target has finished. A target that failed adds an error entry to the response. */
  ended(target: FanOutTarget, status: GrpcStatus): void;
  /** All targets have finished: sends what is missing. Returns `false` when `finish` must wait until the client has read. */
  complete(): boolean;
  /** Ends the response with status OK. */
  finish(): ByteBudget | undefined;
  /** Whether response headers were sent. */
  readonly answering: boolean;
}

const answerHead = [':status', '200', 'content-type', 'application/grpc'] as const;

/** Header fields of one target that have no meaning in a joint answer. */
const ownFields: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'connection',
  'date',
  'server',
  'trailer',
  'grpc-status',
  'grpc-message',
  'grpc-status-details-bin',
  'grpc-encoding',
  'grpc-accept-encoding',
]);

function metadataOf(headers: RawHeaders): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (!name.startsWith(':') && !ownFields.has(name)) kept.push(name, headers[index + 1] ?? '');
  }
  return kept;
}

function failureOf({ code, message }: GrpcStatus, target: FanOutTarget): TargetFailure {
  const details = headerValue(target.trailers, 'grpc-status-details-bin');
  return {
    code,
    message,
    details: details === undefined ? undefined : Buffer.from(details, 'base64'),
  };
}

const answeredNothing: GrpcStatus = {
  code: grpcCodeFromKind('internal'),
  message: 'the call succeeded without a response message',
};

/**
 * One message with the entries of all targets in order of completion. Source: Talos v1.14: one2many unary.
 */
export class UnaryJointAnswer implements JointAnswer {
  readonly #call: InboundCall;
  readonly #answers = new Map<FanOutTarget, Uint8Array>();
  readonly #entries: Uint8Array[] = [];
  readonly #headers: string[] = [];
  readonly #trailers: string[] = [];
  #answering = false;

  constructor(call: InboundCall) {
    this.#call = call;
  }

  get answering(): boolean {
    return this.#answering;
  }

  message(target: FanOutTarget, body: Buffer): boolean {
    // A second message is an error like a second entry: `unaryEntry` throws for both.
    const before = this.#answers.get(target);
    const answer = before === undefined ? body : Buffer.concat([before, body]);
    this.#answers.set(target, unaryEntry(answer, target.name));
    return true;
  }

  ended(target: FanOutTarget, status: GrpcStatus): void {
    const entry = this.#answers.get(target);
    this.#answers.delete(target);
    this.#headers.push(...metadataOf(target.headers));
    this.#trailers.push(...metadataOf(target.trailers));
    const outcome = status.code === 0 && entry === undefined ? answeredNothing : status;
    this.#entries.push(
      outcome.code === 0 && entry !== undefined
        ? entry
        : unaryFailure(target.name, failureOf(outcome, target)),
    );
  }

  complete(): boolean {
    const length = this.#entries.reduce((sum, entry) => sum + entry.length, 0);
    this.#answering = true;
    this.#call.respond([...answerHead, ...this.#headers]);
    let hasRoom = this.#call.write(messagePrefix(length));
    for (const entry of this.#entries) hasRoom = this.#call.write(entry);
    return hasRoom;
  }

  finish(): ByteBudget | undefined {
    return this.#call.finish(['grpc-status', '0', ...this.#trailers]);
  }
}

/**
 * Forwards each message of each target when it arrives, labelled with the target's name. Source: Talos v1.14:
 * one2many streaming.
 */
export class StreamJointAnswer implements JointAnswer {
  readonly #call: InboundCall;
  /** By the name of the target. */
  readonly #plainFields = new Map<string, Uint8Array>();
  readonly #trailers: string[] = [];
  readonly #targets: readonly FanOutTarget[];
  #answering = false;

  constructor(call: InboundCall, targets: readonly FanOutTarget[]) {
    this.#call = call;
    this.#targets = targets;
  }

  get answering(): boolean {
    return this.#answering;
  }

  message(target: FanOutTarget, body: Buffer): boolean {
    const { rest, metadata } = labelledEntry(body, target.name, this.#plain(target.name));
    this.#respond();
    this.#call.write(messagePrefix(rest.length + metadata.length));
    this.#call.write(rest);
    return this.#call.write(metadata);
  }

  ended(target: FanOutTarget, status: GrpcStatus): void {
    this.#trailers.push(...metadataOf(target.trailers));
    if (status.code === 0) return;
    const message = streamFailure(target.name, failureOf(status, target));
    this.#respond();
    this.#call.write(messagePrefix(message.length));
    this.#call.write(message);
  }

  complete(): boolean {
    this.#respond();
    return true;
  }

  finish(): ByteBudget | undefined {
    return this.#call.finish(['grpc-status', '0', ...this.#trailers]);
  }

  /**
   * Sends the headers with the first message. They contain the metadata of the targets that have responded by
   * then.
   */
  #respond(): void {
    if (this.#answering) return;
    this.#answering = true;
    this.#call.respond([...answerHead, ...this.#targets.flatMap(({ headers }) => metadataOf(headers))]);
  }

  #plain(name: string): Uint8Array {
    const known = this.#plainFields.get(name);
    if (known !== undefined) return known;
    const field = hostnameField(name);
    this.#plainFields.set(name, field);
    return field;
  }
}
