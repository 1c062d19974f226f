import { connect } from 'node:net';
import { join } from 'node:path';
import { Fault } from '@nodewright/fault';
import { openUnixPath } from '@nodewright/files';
import { spansSocket } from '../cluster/cluster-folder.ts';
import { spanLimits } from './span-limits.ts';
import type { KeptBatch } from './span-ring.ts';
import { frameHeadBytes } from './span-socket.ts';

/** More than the supervisor keeps, for the heads of many small batches. */
const mostBytes = 2 * spanLimits.keptBytes;

/**
 * Reads what a supervisor keeps after the batch with this serial, the oldest first.
 *
 * @param folder the folder of the cluster
 * @throws Fault `not-found` when the supervisor keeps no spans, `unavailable` when it does not answer
 */
export async function readSpans(
  folder: string,
  after: number,
  signal: AbortSignal,
): Promise<readonly KeptBatch[]> {
  try {
    return batchesIn(await readAll(join(folder, spansSocket), after, signal));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new Fault('not-found', 'the supervisor of this cluster keeps no spans', { cause: error });
    throw new Fault('unavailable', `the supervisor does not give out its spans: ${message}`, {
      cause: error,
    });
  }
}

async function readAll(path: string, after: number, signal: AbortSignal): Promise<Buffer> {
  using short = openUnixPath(path);
  const socket = connect({ path: short.path, signal });
  try {
    socket.write(`${after}\n`);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new Error('it sends more than it may keep');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    socket.destroy();
  }
}

function batchesIn(bytes: Buffer): KeptBatch[] {
  const batches: KeptBatch[] = [];
  for (let at = 0; at + frameHeadBytes <= bytes.length; ) {
    const serial = Number(bytes.readBigUInt64BE(at));
    const named = at + frameHeadBytes;
    const from = named + bytes.readUInt8(at + 12);
    const to = from + bytes.readUInt32BE(at + 8);
    // The connection ended within a batch: it comes again with the next reading.
    if (to > bytes.length) break;
    const node = bytes.toString('latin1', named, from);
    batches.push({ serial, node, bytes: bytes.subarray(from, to) });
    at = to;
  }
  return batches;
}
