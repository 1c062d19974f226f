import type { TLSSocket } from 'node:tls';

/** How long to wait for the first bytes of a server, in milliseconds. A silent server counts as accepting. */
const firstBytesTimeoutMs = 1000;
const frameHeadBytes = 9;
const goAwayType = 7;
/** Bytes before the text of a GOAWAY: the id of the last stream and the error code. */
const goAwayHeadBytes = 8;

/** The server closed a new connection and gave a reason. */
export class ServerRefusal extends Error {}

/**
 * Waits for the first bytes of a server. Returns the reason if the server refuses the connection, else
 * `undefined`. A server that refuses a client certificate sends a GOAWAY with the reason directly after its
 * SETTINGS. gRPC waits for these SETTINGS as well, so this wait adds no delay. The bytes stay in the socket
 * for its next reader.
 * Source: RFC 9113, sections 3.4 and 6.8.
 */
export async function readRefusal(socket: TLSSocket): Promise<string | undefined> {
  await firstBytes(socket);
  const bytes: Buffer | null = socket.read();
  if (bytes === null) return undefined;
  socket.unshift(bytes);
  return refusalIn(bytes);
}

/** Resolves when the socket has bytes to read, when it closes, or after `firstBytesTimeoutMs`. */
function firstBytes(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      socket.off('readable', done);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, firstBytesTimeoutMs);
    socket.on('readable', done);
    socket.on('close', done);
  });
}

/** The text of the first complete GOAWAY frame. */
export function refusalIn(bytes: Buffer): string | undefined {
  for (let start = 0; start + frameHeadBytes <= bytes.length; ) {
    const body = start + frameHeadBytes;
    const end = body + bytes.readUIntBE(start, 3);
    if (end > bytes.length) return undefined;
    if (bytes.readUInt8(start + 3) === goAwayType) {
      return bytes.subarray(body + goAwayHeadBytes, end).toString('utf8') || undefined;
    }
    start = end;
  }
  return undefined;
}
