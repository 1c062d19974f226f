import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { metadataKeys } from '@nodewright/contract';
import { Empty } from '@nodewright/contract/gen/common/common.ts';
import { type Check, checksOf, Skip } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import type { Api, ReplyStream } from '../wire/api.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';
import { cluster, machine } from '../wire/methods.ts';
import { drain, expectFailure, only, orSkip, take } from './expect.ts';

interface Endless {
  readonly path: string;
  open(api: Api, deadlineMs?: number): ReplyStream<unknown>;
  openEnvelopes(api: Api): ReplyStream<Empty>;
}

/** Streams that do not end by themselves, or not soon. */
const endless: Readonly<Record<string, Endless>> = {
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
): Endless {
  return {
    path: method.path,
    open: (api: Api, deadlineMs?: number) =>
      api.stream(method, request, deadlineMs === undefined ? {} : { deadlineMs }),
    /** Decoded as old clients do that know only the fields which all replies share. */
    openEnvelopes: (api: Api) =>
      api.stream({ ...method, decode: (bytes: Uint8Array) => Empty.decode(bytes) }, request),
  };
}

/** Those of them that end when everything was sent. */
const ends = new Set(['list', 'usage', 'copy']);

/** Time limit for the first message of a stream; some streams have none to send yet. */
const beginMs = 400;

/** "At once", with reserve for a busy machine. */
const promptMs = 3000;

async function assertAlive({ admin }: Subject): Promise<void> {
  const start = performance.now();
  only(await admin.unary(machine.version, {}));
  assert.ok(performance.now() - start < promptMs, 'the node was slow to answer Version afterwards');
}

export const streamChecks: Check[] = Object.entries(endless).flatMap(
  ([name, { path, open, openEnvelopes }]) =>
    checksOf(path, {
      [`stream.cancel-${name}`]: [
        'a client can cancel the stream in the middle, and the node continues to serve calls',
        async (subject) => {
          const stream = open(subject.admin);
          const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
          const reading = drain(stream, begin);
          await Promise.race([begun, sleep(beginMs), reading.catch(() => {})]);
          const isOpen = await Promise.race([reading.then(() => false), sleep(0, true)]).catch(() => false);
          const start = performance.now();
          stream.cancel();
          await orSkip(reading);
          assert.ok(isOpen || ends.has(name), 'the stream ended before it was cancelled');
          assert.ok(performance.now() - start < promptMs, 'the call did not end soon after it was cancelled');
          await assertAlive(subject);
        },
      ],
      [`stream.nodes-${name}`]: [
        'with metadata nodes, each message names its node',
        async ({ admin, node, requireForwarding }) => {
          await requireForwarding();
          const [first] = await take(openEnvelopes(admin.with({ [metadataKeys.nodes]: [node] })), 1);
          // A node without data sends no message.
          if (first === undefined && name === 'dmesg') throw new Skip('the kernel log is empty');
          const { hostname, error, status } = first?.metadata ?? {};
          if (status !== undefined) await orSkip(Promise.reject(new CallFailure(status)));
          assert.deepEqual([hostname, error], [node, '']);
        },
      ],
      [`stream.deadline-${name}`]: [
        'a deadline in the middle ends the stream in time with DEADLINE_EXCEEDED',
        async (subject) => {
          const deadlineMs = 600;
          // The deadline starts a little later than this clock, more so on a busy machine.
          const latenessMs = 250;
          const start = performance.now();
          const call = orSkip(drain(open(subject.admin, deadlineMs)));
          const isEarly = await call.then(
            () => true,
            // The status of a copy that had to skip something.
            (error: unknown) => error instanceof CallFailure && error.code === codes.unknown,
          );
          const isDone = ends.has(name) && isEarly && performance.now() - start < deadlineMs + latenessMs;
          // A node with few files may have finished before.
          if (!isDone) await expectFailure(call, codes.deadlineExceeded);
          const tookMs = Math.round(performance.now() - start);
          assert.ok(tookMs < deadlineMs + promptMs, `the call ended only after ${tookMs} ms`);
          await assertAlive(subject);
        },
      ],
    }),
);
