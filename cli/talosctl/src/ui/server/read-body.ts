import type { IncomingMessage } from 'node:http';

export type Body =
  | { readonly kind: 'read'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

/** Reads a request as JSON. The server limits the time that it may take. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Body> {
  if (request.headers['content-type']?.split(';', 1)[0] !== 'application/json') {
    return { kind: 'refused', status: 415, message: 'the body must be JSON' };
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop must not close the connection, on which the refusal is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      return { kind: 'refused', status: 413, message: `the body is larger than ${mostBytes} bytes` };
    }
    chunks.push(chunk);
  }
  try {
    return { kind: 'read', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { kind: 'refused', status: 400, message: 'the body is not JSON' };
  }
}
