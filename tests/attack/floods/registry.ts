import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongPromise } from '@nodewright/async';
import { ports } from '@nodewright/contract';
import type { FloodCounts } from '../measure/child-messages.ts';
import type { RegistryTarget } from '../target/attack-target.ts';
import { keepSilent, resetAndKeepSilent } from './connections.ts';
import type { Flood } from './flood.ts';

const slowReaders = 200;
const lanesAtOnce = 32;
const sessions = 8;
const callsAtOnce = 32;

/** Attacks of programs of the node on registryd: any of them may connect. */
export const registryFloods: readonly Flood[] = [
  {
    name: 'registry-silent',
    what: '500 connections to registryd that never send a request',
    run: ({ registry }, signal) => keepSilent({ host: registry.address, port: ports.registryd }, signal),
  },
  {
    name: 'registry-resets',
    what: '3,000 connections to registryd that are reset before it accepts them, and then 500 silent ones',
    run: ({ registry }, signal) =>
      resetAndKeepSilent({ host: registry.address, port: ports.registryd }, signal),
  },
  {
    name: 'registry-slow-readers',
    what: '200 clients of registryd that ask for a blob and read nothing, and come again when they lose their place',
    run: ({ registry }, signal) => readNothing(registry, signal),
  },
  {
    name: 'registry-headers',
    what: 'requests to registryd with 64 KiB of headers, 32 at a time',
    run: ({ registry }, signal) =>
      ask(registry, signal, () => ({ path: '/v2/', headers: { 'x-long': 'a'.repeat(65_536) } })),
  },
  {
    name: 'registry-ranges',
    what: 'ranges of one byte, of several pieces and behind the end, of a blob of 8 MB, 32 at a time',
    run: ({ registry }, signal) => ask(registry, signal, (turn) => rangeRequest(registry, turn)),
  },
  {
    name: 'registry-socket',
    what: '8 connections to the unix socket of registryd ask for its state, each 32 times at once',
    run: ({ registry }, signal) => callSocket(registry, signal),
  },
];

async function readNothing({ address, repository, blob }: RegistryTarget, signal: AbortSignal) {
  const counts = { connections: 0, endedByServer: 0 };
  const request = `GET /v2/${repository}/blobs/${blob} HTTP/1.1\r\nhost: registry\r\n\r\n`;
  const lane = async () => {
    while (!signal.aborted) {
      const socket: Socket = connect({ host: address, port: ports.registryd });
      socket.on('error', () => {});
      socket.pause();
      socket.write(request);
      counts.connections += 1;
      const ended = once(socket, 'close').then(() => {
        counts.endedByServer += 1;
      });
      const end = new LongPromise(ended);
      // A paused socket does not notice its end: look whether it can still be written to.
      while (!signal.aborted && !socket.destroyed) {
        socket.write('');
        await end.or(sleep(200));
      }
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: slowReaders }, lane));
  return counts;
}

interface HttpAttack {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ranges = [
  'bytes=0-0',
  'bytes=7999999-7999999',
  'bytes=0-0,2-2,4-4,6-6,8-8,10-10',
  'bytes=99999999999-',
  'bytes=-1',
  'bytes=5-1',
  `bytes=${'1-2,'.repeat(2000)}3-4`,
];

const rangeRequest = ({ repository, blob }: RegistryTarget, turn: number): HttpAttack => ({
  path: `/v2/${repository}/blobs/${blob}`,
  headers: { range: ranges[turn % ranges.length] ?? '' },
});

/** Asks on new connections, and counts the answers by their status. */
async function ask(
  { address }: RegistryTarget,
  signal: AbortSignal,
  next: (turn: number) => HttpAttack,
): Promise<FloodCounts> {
  const counts: Record<string, number> = { requests: 0, broken: 0 };
  let turn = 0;
  const lane = async () => {
    while (!signal.aborted) {
      turn += 1;
      counts.requests = (counts.requests ?? 0) + 1;
      const status = await statusOf(address, next(turn));
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: lanesAtOnce }, lane));
  return counts;
}

function statusOf(host: string, { path, headers }: HttpAttack): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const request = httpRequest({ host, port: ports.registryd, path, headers, agent: false }, (answer) => {
    answer.resume();
    answer.on('close', () => resolve(String(answer.statusCode)));
  });
  request.on('error', () => resolve('broken'));
  request.setTimeout(10_000, () => request.destroy(new Error('no answer')));
  request.end();
  return promise;
}

async function callSocket({ socket }: RegistryTarget, signal: AbortSignal): Promise<FloodCounts> {
  const counts = { calls: 0, answered: 0, refusedConnections: 0 };
  const path = '/suite.registry.v1.RegistryService/Status';
  const session = async () => {
    const http2 = connectHttp2('http://registryd', { createConnection: () => connect(socket) });
    http2.on('error', () => {
      counts.refusedConnections += 1;
    });
    // Calls that are still open end with their connection.
    const end = () => http2.destroy();
    signal.addEventListener('abort', end);
    http2.once('close', () => signal.removeEventListener('abort', end));
    const lane = async () => {
      while (!signal.aborted && !http2.destroyed) {
        counts.calls += 1;
        const stream = http2.request({
          ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
        });
        stream.on('error', () => {});
        stream.on('data', () => {});
        stream.on('end', () => {
          counts.answered += 1;
        });
        // A message without a field: not compressed, no bytes.
        stream.end(Buffer.alloc(5));
        if (!stream.destroyed) await once(stream, 'close').catch(() => {});
      }
    };
    await Promise.all(Array.from({ length: callsAtOnce }, lane));
    http2.destroy();
  };
  await Promise.all(Array.from({ length: sessions }, session));
  return counts;
}
