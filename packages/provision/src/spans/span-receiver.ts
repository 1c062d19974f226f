import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SpanLimits } from './span-limits.ts';
import type { SpanRing } from './span-ring.ts';

/** The path that a node sends its spans to, which says who it is. */
export const exportPathOf = (node: string) => `/${node}/v1/traces`;
const exportPath = /^\/(\w[\w.-]{0,62})\/v1\/traces$/;
const mediaType = 'application/x-protobuf';

/** Receives the spans of nodes. */
export interface SpanReceiver extends AsyncDisposable {
  readonly port: number;
}

/**
 * Listens for export requests of OTLP over HTTP. Everybody on this machine may send some, which pushes out older ones; nobody can
 * read any here. Source: OpenTelemetry protocol, OTLP/HTTP.
 */
export async function receiveSpans(
  ring: SpanRing,
  where: { readonly host: string; readonly port: number },
  limits: SpanLimits,
): Promise<SpanReceiver> {
  const arriving = { bytes: 0 };
  const server = createServer(
    {
      maxHeaderSize: limits.headBytes,
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      answer(ring, request, response, arriving, limits).catch(() => response.destroy());
    },
  );
  server.maxConnections = limits.connections;
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(where, listening.resolve);
  await listening.promise;
  server.off('error', listening.reject);
  server.on('error', () => {});
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(
  ring: SpanRing,
  request: IncomingMessage,
  response: ServerResponse,
  arriving: { bytes: number },
  { requestBytes, arrivingBytes }: SpanLimits,
): Promise<void> {
  const { method, url, headers } = request;
  const node = exportPath.exec(url ?? '')?.[1];
  if (node === undefined) return refuse(response, 404);
  if (method !== 'POST') return refuse(response, 405);
  // A page in a browser cannot send this type to another host without its permission, which it does not get.
  if (headers['content-type'] !== mediaType) return refuse(response, 415);
  if (headers['content-encoding'] !== undefined) return refuse(response, 415);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Leaving the loop must not close the connection, on which the refusal is sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      arriving.bytes += chunk.length;
      if (bytes > requestBytes) return refuse(response, 413);
      if (arriving.bytes > arrivingBytes) return refuse(response, 503);
      chunks.push(chunk);
    }
  } finally {
    arriving.bytes -= bytes;
  }
  if (bytes > 0) ring.add(node, Buffer.concat(chunks));
  response.writeHead(200, { 'content-type': mediaType, 'content-length': 0 }).end();
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).end();
}
