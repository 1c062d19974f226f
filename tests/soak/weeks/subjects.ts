// What runs for weeks on a node, with the real code and as little around it as possible. A pass is what happens again and
// again: a look for output, a minute of a connection, a second of a service, a query of a time server.
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeTimers, openTestRuntime } from '@nodewright/controllers/testing';
import { headerValue, type ServerConnection } from '@nodewright/h2';
import { answerHead, openRecordedCall } from '@nodewright/h2/conformance';
import { createInProcessRunner, Latch, Service } from '@nodewright/services';
import { createSntpServer, querySntp } from '@nodewright/sntp';
import { pointerTo } from '@nodewright/state';
import { readLog } from '../../../packages/containers/src/containerd/container-logs.ts';
import {
  countingController,
  increment,
  newSource,
  results,
  sources,
} from '../../../packages/controllers/src/testing/counting-controller.ts';
import { openGatewayRig, RigBackend } from '../../../services/apid/src/gateway/testing/gateway-rig.ts';
import { Connections } from '../../../services/trustd/src/host/connections.ts';
import { systemClock } from '../../../services/trustd/src/host/system-clock.ts';

export interface Subject {
  readonly name: string;
  /** How many passes a week has on a node. */
  readonly passesPerWeek: number;
  /** How many waits may be open at any moment. */
  readonly atOnce: number;
  open(scope: AsyncDisposableStack): Promise<OpenSubject>;
}

export interface OpenSubject {
  pass(): Promise<void>;
  /** The signals that live as long as the subject. */
  readonly signals: readonly AbortSignal[];
}

const weekSeconds = 7 * 24 * 3600;
const workers = 32;

/** A reader that looks for output every 100 ms, as machined does for etcd and the kubelet. */
const containerLog: Subject = {
  name: 'log of a container',
  passesPerWeek: weekSeconds * 10,
  atOnce: 1,
  async open(scope) {
    const folder = mkdtempSync(join(tmpdir(), 'weeks-'));
    scope.defer(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'etcd.log');
    writeFileSync(path, '');
    const { signal } = new AbortController();
    const ended = Promise.withResolvers<void>();
    const reading = readLog({ path, ended: ended.promise, signal, pollMs: 0 });
    scope.defer(async () => {
      ended.resolve();
      await reading.next();
    });
    let passes = 0;
    return {
      signals: [signal],
      async pass() {
        passes += 1;
        // A file that begins anew, so that a week does not fill the disk.
        if (passes % 10_000 === 0) truncateSync(path);
        appendFileSync(path, `line ${passes}\n`);
        await reading.next();
      },
    };
  },
};

/** The connections of 32 workers to one trustd, with the sleeps of the real clock, of a millisecond instead of a minute. */
const trustdConnections: Subject = {
  name: `connections of ${workers} workers to trustd`,
  passesPerWeek: weekSeconds / 60,
  atOnce: workers,
  async open(scope) {
    const signals = new Set<AbortSignal>();
    let slept = 0;
    let awaited = { slept: Number.POSITIVE_INFINITY, resolve: () => {} };
    const connections = new Connections({
      clock: {
        // Stands still: each node has called just now, however late a sleep ends on a busy machine.
        nowMs: () => 0,
        async sleep(durationMs, signal) {
          signals.add(signal);
          await systemClock.sleep(durationMs, signal);
          slept += 1;
          if (slept >= awaited.slept) awaited.resolve();
        },
      },
      limits: { connections: 64, anonymous: 16, anonymousPerGroup: 4, anonymousMs: 1, silentMs: 1 },
    });
    const peers = Array.from({ length: workers }, (_, index) => ({
      ...{ group: `10.0.0.${index}`, isTrusted: true, lastCallMs: 0 },
    }));
    for (const peer of peers) {
      const closed = Promise.withResolvers<void>();
      scope.defer(() => closed.resolve());
      const connection: Pick<ServerConnection, 'destroy' | 'closed'> = {
        closed: closed.promise,
        destroy: () => closed.resolve(),
      };
      connections.add(connection as ServerConnection, peer);
    }
    return {
      signals: [...signals],
      async pass() {
        const { promise, resolve } = Promise.withResolvers<void>();
        awaited = { slept: slept + workers, resolve };
        await promise;
        if (connections.count !== workers) throw new Error(`${connections.count} connections are left`);
      },
    };
  },
};

/** A service that waits for a condition that is never met, such as an extension without its configuration. */
const waitingService: Subject = {
  name: 'service that waits',
  passesPerWeek: weekSeconds,
  atOnce: 1,
  async open(scope) {
    const timers = new FakeTimers(0);
    const condition = new Latch('extension configuration');
    const init = { id: 'ext', runner: createInProcessRunner('ext'), conditions: [condition] };
    const service = new Service({ ...init, timers, onEntry: () => {} });
    service.start();
    scope.defer(() => service.stop());
    return {
      signals: [],
      async pass() {
        await turn();
        if (!timers.step(timers.now() + 1000)) throw new Error('the service does not wait any more');
      },
    };
  },
};

/** The queries of a node to its time server, over loopback. */
const timeServer: Subject = {
  name: 'queries of a time server',
  passesPerWeek: Math.round(weekSeconds / 64),
  atOnce: 1,
  async open(scope) {
    const server = scope.use(await createSntpServer({ address: '127.0.0.1', port: 0 }));
    const { signal } = new AbortController();
    return {
      signals: [signal],
      async pass() {
        await querySntp({ server: `127.0.0.1:${server.port}`, timeoutMs: 10_000, signal });
      },
    };
  },
};

/** Calls of one client through a gateway, to machined and to another node, all over connections that stay. */
const gatewayCalls: Subject = {
  name: 'calls through a gateway',
  // A dashboard with four nodes makes about ten a second.
  passesPerWeek: weekSeconds * 5,
  atOnce: 2,
  async open(scope) {
    const backends = [0, 1].map(
      () => new RigBackend((call) => call.respond([...answerHead, 'grpc-status', '0'], true)),
    );
    const dial = async (index: number) => {
      const backend = backends[index];
      if (backend === undefined) throw new Error('no such backend');
      return backend.dial();
    };
    const rig = await openGatewayRig({ dialMachined: () => dial(0), dialNode: () => dial(1) }, scope);
    const client = await rig.connect('os:reader');
    return {
      signals: [],
      async pass() {
        const answers = [[], ['node', 'node02']].map((metadata) => {
          const { call, recorder } = openRecordedCall(client, metadata);
          call.end();
          return recorder.done;
        });
        for (const { headers, failure } of await Promise.all(answers))
          if (headerValue(headers ?? [], 'grpc-status') !== '0') throw new Error(JSON.stringify(failure));
        // What the stand-ins keep for tests.
        for (const { calls } of backends) calls.length = 0;
      },
    };
  },
};

/** A resource that changes, a controller that derives another one from it, and a watch that a client keeps open. */
const controllersAndWatch: Subject = {
  name: 'a controller and a watch of its output',
  // Addresses, services and times of a node change about once a second.
  passesPerWeek: weekSeconds,
  atOnce: 1,
  async open(scope) {
    const controller = countingController({
      async reconcile(pass) {
        const source = await pass.get(pointerTo(sources, 'one'));
        if (source !== undefined) await pass.put({ ...pointerTo(results, 'one'), spec: source.spec });
      },
    });
    const { state } = scope.use(openTestRuntime({ controllers: [controller] }));
    await state.create(newSource('one'));
    const { signal } = new AbortController();
    const watch = scope.use(await state.watchKind(results, { signal }));
    const events = watch[Symbol.asyncIterator]();
    return {
      signals: [signal],
      async pass() {
        await increment('one')(state);
        await events.next();
      },
    };
  },
};

export const subjects: readonly Subject[] = [
  ...[containerLog, trustdConnections, waitingService, timeServer],
  ...[gatewayCalls, controllersAndWatch],
];
