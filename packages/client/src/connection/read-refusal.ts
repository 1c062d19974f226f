import type { TLSSocket } from 'node:tls';

/** A server that sends nothing at first is taken as it is after this long, in milliseconds. */
const firstWordMs = 1000;
const frameHeadBytes = 9;
const goAwayType = 7;
/** What goes before the text of a GOAWAY: the last stream, and the error code. */
const goAwayHeadBytes = 8;

/** The server ended the connection at its beginning and said why. */
export class ServerRefusal extends Error {}

/**
 * Waits for the first bytes of a server, and says with which reason it refuses the connection; undefined when it does not.
 * A server that refuses a client certificate says so in a GOAWAY right after its SETTINGS. gRPC waits for these SETTINGS
 * too, so nothing is lost by the wait. What was read stays in the socket for its next reader.
 * Source: RFC 9113, sections 3.4 and 6.8.
 */
export async function readRefusal(socket: TLSSocket): Promise<string | undefined> {
  await firstBytes(socket);
  const bytes: Buffer | null = socket.read();
  if (bytes === null) return undefined;
  socket.unshift(bytes);
  return refusalIn(bytes);
}

/** Resolves when there is something to read, when the socket has ended, or after a while. */
function firstBytes(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      socket.off('readable', done);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, firstWordMs);
    socket.on('readable', done);
    socket.on('close', done);
  });
}

/** The text of the first GOAWAY among whole frames. */
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
