// Without a terminal an engine sends stdout and stderr in one stream of frames. Each frame has a header of
// eight bytes: the number of the output, three zeros, and the length. Source: Docker Engine API, attaching to
// a container.
import { Buffer } from 'node:buffer';

const headerBytes = 8;

/** The output without the frame headers. */
export async function* splitOutput(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let header = Buffer.alloc(0);
  let wanted = 0;
  for await (const piece of stream) {
    let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    while (rest.length > 0) {
      if (wanted > 0) {
        yield rest.subarray(0, wanted);
        const taken = Math.min(wanted, rest.length);
        wanted -= taken;
        rest = rest.subarray(taken);
        continue;
      }
      const missing = headerBytes - header.length;
      header = Buffer.concat([header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (header.length < headerBytes) continue;
      wanted = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  }
}
