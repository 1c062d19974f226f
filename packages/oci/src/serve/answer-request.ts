import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fault, faultFrom, isServerFailure } from '@nodewright/fault';
import type { Span, Telemetry } from '@nodewright/telemetry';
import type { ChunkTurns } from './chunk-turns.ts';
import type { ClientWait } from './client-shares.ts';
import type { DistributionSource } from './distribution-source.ts';
import { codeOf, type ErrorCode, errorBody, statusOf } from './error-codes.ts';
import { type DistributionLimits, shortAnswerBytes } from './limits.ts';
import { parseRange } from './parse-range.ts';
import { type ContentTarget, parseTarget } from './parse-target.ts';
import { writeChunks } from './write-chunks.ts';

export interface AnswerInit {
  readonly source: DistributionSource;
  readonly limits: DistributionLimits;
  readonly wait: ClientWait;
  readonly turns: ChunkTurns;
  /** Resolves with whether a long answer may be sent. */
  readonly enterLong: () => Promise<boolean>;
  readonly telemetry: Telemetry;
  /** Called after each answer for content. */
  readonly onAnswered: (record: AnswerRecord) => void;
}

/** What was answered. */
export interface AnswerRecord {
  readonly method: string;
  readonly target: ContentTarget;
  readonly status: number;
  /** Of the body. */
  readonly bytes: number;
  readonly durationMs: number;
  /** Why the answer failed. After the headers were sent, its connection was closed. */
  readonly fault: Fault | undefined;
}

/** Answers one request. Never rejects. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  init: AnswerInit,
): Promise<void> {
  const { method = '', headers } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return sendError(response, 405, 'UNSUPPORTED', 'this endpoint is read-only');
  }
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
    response.setHeader('connection', 'close');
    return sendError(response, 400, 'UNSUPPORTED', 'this endpoint takes no bodies');
  }
  const target = parseTarget(request.url ?? '');
  if (target.kind === 'alive') return void response.writeHead(200, { 'content-length': 0 }).end();
  if (target.kind === 'refused') return sendError(response, target.status, target.code, target.message);
  await answerContent(request, response, target, init);
}

async function answerContent(
  request: IncomingMessage,
  response: ServerResponse,
  target: ContentTarget,
  { source, limits, wait, turns, enterLong, telemetry, onAnswered }: AnswerInit,
): Promise<void> {
  const start = performance.now();
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  // An error of the connection is followed by 'close'.
  response.on('error', () => {});
  const span = telemetry.startSpan(`registry ${target.kind}`, spanOptions(request, target));
  const { stallMs } = limits;
  const answer = { request, response, target, source, stallMs, wait, turns, enterLong, signal: gone.signal };
  let bytes = 0;
  let fault: Fault | undefined;
  try {
    const send = target.kind === 'blob' ? sendBlob : sendManifest;
    bytes = await telemetry.withSpan(span, () => send(answer));
  } catch (error) {
    fault = faultFrom(error);
    const { kind, message } = fault;
    if (isServerFailure(kind)) span.fail(fault);
    // A client that has read less than the length that was announced knows that the content is not whole.
    if (response.headersSent) response.destroy();
    else sendError(response, statusOf(kind), codeOf(kind, target.kind), message);
  }
  const { method = '' } = request;
  const status = response.statusCode;
  endSpan(span, status);
  onAnswered({ method, target, status, bytes, durationMs: performance.now() - start, fault });
}

interface Answer extends Pick<AnswerInit, 'source' | 'wait' | 'turns' | 'enterLong'> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: ContentTarget;
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

async function sendManifest({ request, response, target, source, signal }: Answer): Promise<number> {
  const { digest, mediaType, bytes } = await source.manifest(target, signal);
  response.writeHead(200, {
    'content-type': mediaType,
    'content-length': bytes.length,
    'docker-content-digest': digest,
  });
  if (request.method === 'HEAD') response.end();
  else response.end(bytes);
  return request.method === 'HEAD' ? 0 : bytes.length;
}

async function sendBlob(answer: Answer): Promise<number> {
  const { request, response, target, source, stallMs, wait, turns, signal } = answer;
  const common = {
    'content-type': 'application/octet-stream',
    'docker-content-digest': target.which,
    'accept-ranges': 'bytes',
  };
  if (request.method === 'HEAD') {
    const size = await source.blobSize(target, signal);
    response.writeHead(200, { ...common, ...lengthHeader(size) }).end();
    return 0;
  }
  await using blob = await source.blob(target, signal);
  const { size } = blob;
  // Without the size there is no answer to a range; a server may ignore it.
  const range = size === undefined ? 'whole' : parseRange(request.headers.range, size);
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${size}`);
    sendError(response, 416, 'UNSUPPORTED', 'the range begins behind the end of the blob');
    return 0;
  }
  const piece = range === 'whole' ? undefined : range;
  const answerBytes = piece === undefined ? size : piece.end - piece.start;
  if ((answerBytes ?? Number.POSITIVE_INFINITY) > shortAnswerBytes && !(await answer.enterLong())) {
    if (!signal.aborted) sendTooMany(response);
    return 0;
  }
  const sendHeaders = () => {
    if (piece === undefined) return void response.writeHead(200, { ...common, ...lengthHeader(size) });
    const { start, end } = piece;
    const rangeHeader = { 'content-range': `bytes ${start}-${end - 1}/${size}` };
    response.writeHead(206, { ...common, ...rangeHeader, ...lengthHeader(end - start) });
  };
  const chunks = blob.read(piece, signal);
  const sizeBytes = await writeChunks(response, chunks, { sendHeaders, answerBytes, stallMs, wait, turns });
  response.end();
  return sizeBytes;
}

const lengthHeader = (size: number | undefined) => (size === undefined ? {} : { 'content-length': size });

export function sendError(response: ServerResponse, status: number, code: ErrorCode, message: string): void {
  const body = errorBody(code, message);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  // Node.js sends no body in an answer to HEAD.
  response.end(body);
}

export function sendTooMany(response: ServerResponse): void {
  response.setHeader('retry-after', '1');
  sendError(response, 429, 'TOOMANYREQUESTS', 'too many requests at once: try again in a second');
}

function spanOptions({ headers }: IncomingMessage, { registry = '', repository }: ContentTarget) {
  const { traceparent } = headers;
  return {
    kind: 'server',
    ...(typeof traceparent === 'string' ? { parent: traceparent } : {}),
    attributes: { 'nodewright.oci.registry': registry, 'nodewright.oci.repository': repository },
  } as const;
}

function endSpan(span: Span, status: number): void {
  span.setAttributes({ 'http.response.status_code': status });
  span.end();
}
