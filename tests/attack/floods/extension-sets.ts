import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongPromise, pause, untilAborted } from '@nodewright/async';
import { InstallRequest } from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import { prefixBytes } from '../../bench/load/call.ts';
import type { AttackTarget } from '../target/attack-target.ts';
import type { Flood } from './flood.ts';
import { openAttacker } from './open-attacker.ts';

const method = '/suite.extensions.v1.ExtensionSetService/Install';

/** Uploads that are sent at once, by kind. */
const lanes = { oversized: 2, garbage: 16, slow: 100 };
const pieceBytes = 64 * 1024;
/** Above what a set may have. */
const oversizedPieces = 2048;
const garbagePieces = 4;
/** At most as many uploads of each kind as this are begun. */
const mostUploads = 2000;
const slowMs = 1000;
const restMs = 20;

/**
 * Uploads of sets of extensions, by somebody who stole the certificate of an administrator. Nodes of processes refuse them: this is
 * about what passes through the gateway until then. What a machine receives is limited by `receiveArchive()`.
 */
export const extensionSetFloods: readonly Flood[] = [
  {
    name: 'extension-sets',
    what: 'an administrator uploads sets of extensions: 2 of 134 MB, 16 of garbage, and 100 of a byte per second, at once and again',
    run: uploadSets,
  },
];

async function uploadSets(target: AttackTarget, signal: AbortSignal) {
  const counts = { uploads: 0, ended: 0, megabytes: 0 };
  const attacker = await openAttacker(target, 'admin', { method, metadata: [] });
  if (attacker === undefined) return { ...counts, refusedConnections: 1 };
  const { session, headers } = attacker;
  const upload = async (pieces: number, bytes: number, pauseMs: number) => {
    for (
      let turn = 0;
      turn < mostUploads && !signal.aborted && !session.destroyed && !session.closed;
      turn += 1
    ) {
      counts.uploads += 1;
      const sentBytes = await sendSet(session, headers, { pieces, bytes, pauseMs, signal });
      counts.megabytes += sentBytes / 1e6;
      counts.ended += 1;
      // A node that is no machine refuses an upload at once.
      await pause(pauseMs + restMs, signal);
    }
  };
  const run = (count: number, ...shape: Parameters<typeof upload>) =>
    Array.from({ length: count }, () => upload(...shape));
  await Promise.all([
    ...run(lanes.oversized, oversizedPieces, pieceBytes, 0),
    ...run(lanes.garbage, garbagePieces, pieceBytes, 0),
    ...run(lanes.slow, Number.POSITIVE_INFINITY, 1, slowMs),
  ]);
  session.destroy();
  return counts;
}

interface Upload {
  readonly pieces: number;
  /** Of each piece. */
  readonly bytes: number;
  readonly pauseMs: number;
  readonly signal: AbortSignal;
}

/** Sends pieces until the node ends the call. Returns how many bytes were sent. */
async function sendSet(
  session: ClientHttp2Session,
  headers: readonly string[],
  { pieces, bytes, pauseMs, signal }: Upload,
): Promise<number> {
  const stream = session.request(headers, { endStream: false });
  stream.on('error', () => {});
  stream.on('data', () => {});
  const ended = untilAborted(
    once(stream, 'close').catch(() => {}),
    signal,
  );
  const end = new LongPromise(ended);
  const message = InstallRequest.encode({ chunk: Buffer.alloc(bytes, 'garbage') }).finish();
  const frame = Buffer.concat([Buffer.alloc(prefixBytes), message]);
  frame.writeUInt32BE(message.length, 1);
  let sent = 0;
  for (let piece = 0; piece < pieces && !stream.closed && !signal.aborted; piece += 1) {
    sent += frame.length;
    if (!stream.write(frame)) await end.or(once(stream, 'drain').catch(() => {}));
    if (pauseMs > 0) await end.or(sleep(pauseMs));
  }
  stream.end();
  await ended;
  stream.close();
  return sent;
}
