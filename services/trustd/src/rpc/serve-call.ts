import { metadataKeys } from '@nodewright/contract';
import { Fault, faultFrom, grpcCodeFromKind, type Secret } from '@nodewright/fault';
import {
  type GrpcStatus,
  headerValue,
  headerValues,
  type InboundCall,
  isGrpcContentType,
  messagePrefix,
  parseGrpcTimeout,
  sendStatus,
  statusTrailers,
} from '@nodewright/h2';
import { statusText, unknownMethodText } from '@nodewright/rpc';
import type { ByteBudget } from '../domain/byte-budget.ts';
import { checkToken } from '../domain/check-token.ts';
import { trustdLimits } from '../domain/limits.ts';
import type { WrongGuesses } from '../domain/wrong-guesses.ts';
import type { Peer } from '../host/peer.ts';
import { CallRecord, type CallRecordInit } from './call-record.ts';
import { RequestBody } from './request-body.ts';
import type { UnaryMethod } from './unary-method.ts';

export interface CallServer extends CallRecordInit {
  /** The methods by their path. */
  readonly methods: ReadonlyMap<string, UnaryMethod>;
  /** The token of the cluster in force. */
  token(): Secret;
  readonly guesses: WrongGuesses;
  readonly bodies: ByteBudget;
}

/**
 * Serves one call. It checks the method and the token from the headers alone and stores nothing of the body
 * before. A wrong token is rejected after a delay; a right token is never delayed.
 */
export async function serveCall(server: CallServer, call: InboundCall, peer: Peer): Promise<void> {
  const record = new CallRecord(server, call, peer);
  const body = new RequestBody(call, server.bodies);
  peer.lastCallMs = server.clock.nowMs();
  let status: GrpcStatus;
  try {
    const method = methodOf(server, call);
    await judgeToken(server, call, body, peer);
    peer.isTrusted = true;
    await record.run(() => answer(server, method, { call, body, peer, record }));
    status = { code: 0, message: '' };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    status = { code: grpcCodeFromKind(kind), message: statusText(message) };
    sendStatus(call, status, false);
    body.discard();
  }
  record.finish(status);
}

function methodOf({ methods }: CallServer, call: InboundCall): UnaryMethod {
  const contentType = headerValue(call.headers, 'content-type');
  if (call.method !== 'POST' || !isGrpcContentType(contentType)) {
    throw new Fault(
      'invalid-argument',
      'not a gRPC call: it needs POST and the content-type application/grpc',
    );
  }
  const method = methods.get(call.path);
  if (method === undefined) throw new Fault('unimplemented', unknownMethodText(call.path, methods.keys()));
  return method;
}

/**
 * @throws Fault `unauthenticated`, or `resource-exhausted` when too many calls with a wrong token are delayed
 */
async function judgeToken(
  { token, guesses, clock }: CallServer,
  call: InboundCall,
  body: RequestBody,
  { group }: Peer,
): Promise<void> {
  const given = headerValues(call.headers, metadataKeys.token);
  const check = checkToken(given.length === 0 ? undefined : given.join(', '), token());
  if (check === 'valid') return;
  // Only wrong tokens are delayed, because a client may guess again; a call without a token is rejected at
  // once.
  if (check === 'invalid') {
    if (!guesses.enter(group))
      throw new Fault('resource-exhausted', `too many calls with a wrong token from ${group}`);
    body.discard();
    try {
      await clock.sleep(trustdLimits.guessWaitMs, body.gone);
    } finally {
      guesses.leave(group);
    }
  }
  throw new Fault('unauthenticated', `${check} token`);
}

interface CallParts {
  readonly call: InboundCall;
  readonly body: RequestBody;
  readonly peer: Peer;
  readonly record: CallRecord;
}

async function answer(
  { clock }: CallServer,
  method: UnaryMethod,
  { call, body, peer, record }: CallParts,
): Promise<void> {
  const over = new AbortController();
  const late = new AbortController();
  const timeoutMs = timeoutOf(call);
  const abortAfter = (durationMs: number, abort: () => void) =>
    void clock.sleep(durationMs, over.signal).then(() => over.signal.aborted || abort());
  if (timeoutMs !== undefined) abortAfter(timeoutMs, () => late.abort());
  const slow = new AbortController();
  abortAfter(trustdLimits.bodyMs, () => slow.abort());
  try {
    const request = await body.collect(AbortSignal.any([late.signal, slow.signal]));
    const signal = AbortSignal.any([body.gone, late.signal]);
    const response = await Promise.race([
      method.answer(request, {
        remoteAddress: peer.remoteAddress,
        signal,
        annotate: (facts) => record.annotate(facts),
        keepOutOfLog: () => record.keepOutOfLog(),
      }),
      aborted(signal, over.signal),
    ]);
    call.respond([':status', '200', 'content-type', 'application/grpc+proto']);
    call.write(Buffer.concat([messagePrefix(response.length), response]));
    call.finish(statusTrailers({ code: 0, message: '' }));
  } catch (error) {
    if (late.signal.aborted) throw new Fault('deadline-exceeded', 'the deadline of the call has passed');
    if (body.gone.aborted) throw new Fault('cancelled', 'the caller cancelled the call');
    throw error;
  } finally {
    over.abort();
  }
}

/** Rejects when `signal` aborts; never settles once `over` aborts. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over });
  if (signal.aborted) reject(signal.reason);
  return promise;
}

/** Longest delay that `setTimeout` accepts, in ms. */
const maxTimeoutMs = 2 ** 31 - 1;

function timeoutOf(call: InboundCall): number | undefined {
  const text = headerValue(call.headers, 'grpc-timeout');
  if (text === undefined) return undefined;
  const timeoutMs = parseGrpcTimeout(text);
  if (timeoutMs === undefined) throw new Fault('internal', `malformed grpc-timeout: ${JSON.stringify(text)}`);
  return Math.min(timeoutMs, maxTimeoutMs);
}
