import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import type { LoadJob } from './load-job.ts';

/** Bytes of gRPC's prefix of a message: compressed or not, and its length. */
export const prefixBytes = 5;
const emptyRequest = Buffer.alloc(prefixBytes);
const openRequest = { endStream: false };

/** The header fields of the calls of a job: as raw pairs, which may repeat a name. */
export function callHeaders({ method, metadata, target }: LoadJob): string[] {
  const authority = target.kind === 'unix' ? 'localhost' : `${target.host}:${target.port}`;
  return [
    ...[':method', 'POST', ':scheme', target.kind === 'unix' ? 'http' : 'https'],
    ...[':authority', authority, ':path', method],
    ...['content-type', 'application/grpc', 'te', 'trailers', 'user-agent', 'bench'],
    ...metadata.flat(),
  ];
}

export interface CallReceiver {
  data(chunk: Buffer): void;
  /** Called once, when the reply is complete or has failed. Without a failure the call had status 0. */
  over(failure: string | undefined): void;
}

/**
 * Makes a call with an empty request message. Returns its stream, so that the caller can slow it down or
 * cancel it.
 */
export function startCall(session: ClientHttp2Session, headers: readonly string[], receiver: CallReceiver) {
  const stream = session.request(headers, openRequest);
  let status: string | undefined;
  let isOver = false;
  const over = (failure: string | undefined) => {
    if (isOver) return;
    isOver = true;
    receiver.over(failure);
  };
  const take = (fields: IncomingHttpHeaders) => {
    if (fields['grpc-status'] === undefined) return;
    const message = fields['grpc-message'] ?? '';
    status = fields['grpc-status'] === '0' ? '' : `grpc-status ${fields['grpc-status']}: ${message}`;
  };
  stream.on('response', take);
  stream.on('trailers', take);
  stream.on('data', (chunk: Buffer) => receiver.data(chunk));
  stream.on('end', () => over(status === '' ? undefined : (status ?? 'the stream ended without a status')));
  stream.on('error', (error) => over(error.message));
  stream.on('close', () => over(`the stream was closed with code ${stream.rstCode}`));
  stream.end(emptyRequest);
  return stream;
}
