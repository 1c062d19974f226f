import { once } from 'node:events';
import { type ClientHttp2Session, constants } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { metadataKeys, ports } from '@nodewright/contract';
import { callHeaders } from '../../bench/load/call.ts';
import type { LoadTarget } from '../../bench/load/load-job.ts';
import { openSession } from '../../bench/load/open-session.ts';
import type { FloodCounts } from '../measure/child-messages.ts';
import type { AttackTarget } from '../target/attack-target.ts';
import { judgeSilent, keepSilent, resetAndKeepSilent } from './connections.ts';
import type { Flood } from './flood.ts';

const method = '/securityapi.SecurityService/Certificate';
const unfinishedConnections = 4;
const unfinishedPerConnection = 100;
/** Just below the 4 MiB that is the usual limit of a gRPC message. */
const unfinishedBytes = 3_900_000;
const guessesAtOnce = 64;
/**
 * trustd delays its answer to a wrong token, at most 16 of them per address at a time. So a client gets about
 * this many answers per second.
 */
const answeredGuessesPerSecond = 40;

export const trustFloods: readonly Flood[] = [
  {
    name: 'trustd-unfinished',
    what: '4 connections send trustd 100 unfinished messages of 3.9 MB each, without a token',
    run: sendUnfinished,
  },
  {
    name: 'trustd-silent',
    what: '500 connections to trustd that never begin a handshake',
    run: (target, signal) => keepSilent({ host: target.entry.address, port: ports.trustd }, signal),
  },
  {
    name: 'trustd-resets',
    what: '3,000 connections to trustd that are reset before it accepts them, and then 500 silent ones',
    run: (target, signal) => resetAndKeepSilent({ host: target.entry.address, port: ports.trustd }, signal),
    judge: judgeSilent,
  },
  {
    name: 'trustd-guesses',
    what: 'guesses of the token, 64 at a time',
    run: guess,
    judge: ({ unauthenticated = 0 }, durationMs) => {
      const allowed = (answeredGuessesPerSecond * durationMs) / 1000;
      return unauthenticated > allowed
        ? [`${unauthenticated} guesses were judged in ${durationMs} ms, at most ${allowed} may be`]
        : [];
    },
  },
];

async function sendUnfinished(target: AttackTarget, signal: AbortSignal): Promise<FloodCounts> {
  const counts = { calls: 0, megabytes: 0 };
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(unfinishedBytes + 1, 1);
  const sessions: ClientHttp2Session[] = [];
  for (let index = 0; index < unfinishedConnections && !signal.aborted; index += 1) {
    const session = await openSession(trustd(target)).catch(() => undefined);
    if (session === undefined) continue;
    sessions.push(session);
    for (let calls = 0; calls < unfinishedPerConnection && !session.destroyed; calls += 1) {
      const stream = session.request(
        callHeaders({ kind: 'probe', target: trustd(target), method, metadata: [] }),
        {
          endStream: false,
        },
      );
      stream.on('error', () => {});
      stream.on('data', () => {});
      stream.write(prefix);
      stream.write(Buffer.alloc(unfinishedBytes));
      counts.calls += 1;
      counts.megabytes += unfinishedBytes / 1e6;
      await sleep(2);
    }
  }
  while (!signal.aborted) await sleep(100);
  for (const session of sessions) session.destroy();
  return counts;
}

async function guess(target: AttackTarget, signal: AbortSignal): Promise<FloodCounts> {
  const counts = { guesses: 0, unauthenticated: 0, refused: 0, allowed: 0 };
  const lane = async (number: number) => {
    let session = await openSession(trustd(target));
    for (let turn = 0; !signal.aborted; turn += 1) {
      if (session.destroyed || session.closed) session = await openSession(trustd(target));
      const metadata = [[metadataKeys.token, `guess${number}.${turn}`]] as const;
      counts.guesses += 1;
      const status = await statusOf(
        session,
        callHeaders({ kind: 'probe', target: trustd(target), method, metadata }),
        signal,
      );
      if (status === '16') counts.unauthenticated += 1;
      else if (status === '0') counts.allowed += 1;
      else {
        counts.refused += 1;
        await sleep(5);
      }
    }
    session.destroy();
  };
  const lanes = Array.from({ length: guessesAtOnce }, (_, number) => lane(number).catch(() => {}));
  await Promise.all(lanes);
  return counts;
}

async function statusOf(session: ClientHttp2Session, headers: readonly string[], signal: AbortSignal) {
  const stream = session.request(headers, { endStream: false });
  let status: string | undefined;
  const take = (fields: { 'grpc-status'?: string | undefined }) => {
    status ??= fields['grpc-status'];
  };
  stream.on('response', take);
  stream.on('trailers', take);
  stream.on('error', () => {});
  stream.on('data', () => {});
  const cancel = () => stream.close(constants.NGHTTP2_CANCEL);
  signal.addEventListener('abort', cancel);
  stream.end(Buffer.alloc(5));
  if (!stream.destroyed) await once(stream, 'close');
  signal.removeEventListener('abort', cancel);
  return status;
}

function trustd({ entry, ca, bystander }: AttackTarget): LoadTarget {
  return { kind: 'tls', host: entry.address, port: ports.trustd, ca, ...bystander };
}
