import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import type { Api, ReplyStream } from '../wire/api.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';
import { cluster, machine } from '../wire/methods.ts';
import { drain, expectFailure, only, orSkip } from './expect.ts';

/** Streams that do not end by themselves, or not soon. */
const endless: Readonly<
  Record<string, { path: string; open: (api: Api, deadlineMs?: number) => ReplyStream<unknown> }>
> = {
  logs: endlessOf(machine.logs, { namespace: 'system', id: 'machined', follow: true, tailLines: -1 }),
  dmesg: endlessOf(machine.dmesg, { follow: true }),
  events: endlessOf(machine.events, { tailEvents: -1 }),
  list: endlessOf(machine.list, { root: '/', recurse: true }),
  usage: endlessOf(machine.diskUsage, { paths: ['/'], all: true }),
  copy: endlessOf(machine.copy, { rootPath: '/' }),
  capture: endlessOf(machine.packetCapture, { interface: 'lo' }),
  health: endlessOf(cluster.healthCheck, {
    waitTimeout: { seconds: 60n, nanos: 0 },
    clusterInfo: { controlPlaneNodes: ['192.0.2.1'], workerNodes: [] },
  }),
};

function endlessOf<Request, Response>(
  method: Parameters<Api['stream']>[0] & {
    encode(request: Request): Uint8Array;
    decode(bytes: Uint8Array): Response;
  },
  request: Request,
) {
  return {
    path: method.path,
    open: (api: Api, deadlineMs?: number) =>
      api.stream(method, request, deadlineMs === undefined ? {} : { deadlineMs }),
  };
}

/** Of them those that end when everything has been told. */
const ends = new Set(['list', 'usage', 'copy']);

/** For the first message of a stream; one that has nothing to tell yet has none. */
const beginMs = 400;

async function assertAlive({ admin }: Subject): Promise<void> {
  const start = performance.now();
  only(await admin.unary(machine.version, {}));
  assert.ok(performance.now() - start < 2000, 'the node took more than 2 s for Version afterwards');
}

export const streamChecks: Check[] = Object.entries(endless).flatMap(([name, { path, open }]) =>
  checksOf(path, {
    [`stream.cancel-${name}`]: [
      'a client that cancels in the middle is let go at once, and the node serves on',
      async (subject) => {
        const stream = open(subject.admin);
        const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
        const reading = drain(stream, begin);
        await Promise.race([begun, sleep(beginMs), reading.catch(() => {})]);
        const isOpen = await Promise.race([reading.then(() => false), sleep(0, true)]).catch(() => false);
        const start = performance.now();
        stream.cancel();
        await orSkip(reading);
        assert.ok(isOpen || ends.has(name), 'it ended by itself, and nobody had cancelled it');
        assert.ok(performance.now() - start < 1000, 'the call went on for more than a second');
        await assertAlive(subject);
      },
    ],
    [`stream.deadline-${name}`]: [
      'a deadline in the middle ends it with DEADLINE_EXCEEDED, in time',
      async (subject) => {
        const deadlineMs = 600;
        const start = performance.now();
        const call = orSkip(drain(open(subject.admin, deadlineMs)));
        const isEarly = await call.then(
          () => true,
          // How a copy ends that had to leave something out.
          (error: unknown) => error instanceof CallFailure && error.code === codes.unknown,
        );
        const isDone = ends.has(name) && isEarly && performance.now() - start < deadlineMs;
        // A node with few files may be done before.
        if (!isDone) await expectFailure(call, codes.deadlineExceeded);
        const tookMs = Math.round(performance.now() - start);
        assert.ok(tookMs < deadlineMs + 1500, `it ended after ${tookMs} ms`);
        await assertAlive(subject);
      },
    ],
  }),
);
