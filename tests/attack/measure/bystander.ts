// The other client, in a process of its own. It makes calls at a fixed rate, however long the answers take,
// and follows streams that must not end. It never retries a call, so every failure is visible.
import { request as httpRequest } from 'node:http';
import { type ClientHttp2Session, constants } from 'node:http2';
import { ports } from '@nodewright/contract';
import { callHeaders, startCall } from '../../bench/load/call.ts';
import type { LoadTarget } from '../../bench/load/load-job.ts';
import { openSession } from '../../bench/load/open-session.ts';
import { LatencyRecorder } from '../../bench/measure/latency-recorder.ts';
import type { AttackTarget, RegistryTarget } from '../target/attack-target.ts';
import { followRequests } from './bystander-streams.ts';
import type { BystanderOrder, BystanderReport, BystanderWindow } from './child-messages.ts';
import { openTrustCaller } from './trust-caller.ts';

/** Interval between the starts of two calls, in milliseconds; calls go to the two nodes alternately. */
const intervalMs = 10;
/** Interval of the calls to trustd. */
const trustIntervalMs = 500;
/** Interval of the requests to registryd. */
const registryIntervalMs = 50;
const callTimeoutMs = 30_000;
const shownFailures = 20;

const recorder = new LatencyRecorder();
/** Start time of each measured call that has not ended yet. */
const inFlight = new Set<{ readonly startMs: number }>();
let failures: string[] = [];
let failed = 0;
let isMeasuring = false;

function fail(what: string, failure: string): void {
  if (!isMeasuring) return;
  failed += 1;
  if (failures.length < shownFailures) failures.push(`${what}: ${failure}`);
}

class Caller {
  readonly #target: LoadTarget;
  #session: ClientHttp2Session | undefined;
  #opening: Promise<ClientHttp2Session> | undefined;

  constructor(target: LoadTarget) {
    this.#target = target;
  }

  async open(): Promise<ClientHttp2Session> {
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed)
      return this.#session;
    this.#opening ??= openSession(this.#target).finally(() => {
      this.#opening = undefined;
    });
    this.#session = await this.#opening;
    return this.#session;
  }

  async call(method: string, metadata: readonly (readonly [string, string])[]): Promise<void> {
    const what = `${method}${metadata.length > 0 ? ' through a hop' : ''}`;
    const measured = { startMs: performance.now() };
    if (isMeasuring) inFlight.add(measured);
    try {
      const session = await this.open();
      const headers = callHeaders({ kind: 'probe', target: this.#target, method, metadata });
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const stream = startCall(session, headers, { data() {}, over: resolve });
      stream.setTimeout(callTimeoutMs, () => stream.close(constants.NGHTTP2_CANCEL));
      const failure = await promise;
      if (failure !== undefined) fail(what, failure);
    } catch (error) {
      fail(what, (error as Error).message);
    }
    // The end of the window has already counted the calls that were still open then.
    if (inFlight.delete(measured)) recorder.record(performance.now() - measured.startMs);
  }
}

async function open(target: AttackTarget): Promise<void> {
  const { entry, behind, ca, bystander } = target;
  const address: LoadTarget = { kind: 'tls', host: entry.address, port: 50_000, ca, ...bystander };
  const caller = new Caller(address);
  await caller.call('/machine.MachineService/Version', []);
  let turn = 0;
  setInterval(() => {
    turn += 1;
    if (turn % 2 === 0) void caller.call('/machine.MachineService/Version', []);
    else void caller.call('/machine.MachineService/Memory', [['node', behind.address]]);
  }, intervalMs);
  const askTrustd = await openTrustCaller(target);
  setInterval(() => {
    askTrustd().catch((error: Error) => fail('trustd', error.message));
  }, trustIntervalMs);
  let part = 0;
  setInterval(() => {
    part += 1;
    void askRegistry(target.registry, part % 2 === 0);
  }, registryIntervalMs);
  for (const request of followRequests(behind.address)) void follow(caller, address, request);
}

/** Reads a manifest, or a piece of a blob, as a program that pulls an image does; each request has a connection of its own. */
async function askRegistry(
  { address, registry, repository, blob }: RegistryTarget,
  isBlob: boolean,
): Promise<void> {
  const measured = { startMs: performance.now() };
  if (isMeasuring) inFlight.add(measured);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const path = `/v2/${repository}/${isBlob ? `blobs/${blob}` : 'manifests/v1'}?ns=${registry}`;
  const headers = isBlob ? { range: 'bytes=0-65535' } : {};
  const request = httpRequest(
    { host: address, port: ports.registryd, path, headers, agent: false },
    (answer) => {
      answer.resume();
      answer.on('close', () => {
        const isGood = answer.complete && answer.statusCode === (isBlob ? 206 : 200);
        resolve(isGood ? undefined : `status ${answer.statusCode}`);
      });
    },
  );
  request.setTimeout(callTimeoutMs, () => request.destroy(new Error('no answer')));
  request.on('error', ({ message }) => resolve(message));
  request.end();
  const failure = await promise;
  if (failure !== undefined) fail(`registryd ${isBlob ? 'blob' : 'manifest'}`, failure);
  if (inFlight.delete(measured)) recorder.record(performance.now() - measured.startMs);
}

/** Follows a stream forever; each end of it counts as a failure. */
async function follow(caller: Caller, target: LoadTarget, request: FollowRequest): Promise<void> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    try {
      const session = await caller.open();
      const stream = session.request(
        callHeaders({ kind: 'probe', target, method: request.method, metadata: request.metadata }),
        { endStream: false },
      );
      stream.on('data', () => {});
      stream.on('error', (error) => resolve(error.message));
      stream.on('close', () => resolve(`closed with code ${stream.rstCode}`));
      stream.end(request.body);
    } catch (error) {
      resolve((error as Error).message);
    }
    fail(request.what, `the stream ended: ${await promise}`);
    await new Promise((wait) => setTimeout(wait, 500));
  }
}

type FollowRequest = ReturnType<typeof followRequests>[number];

function endWindow(): BystanderWindow {
  isMeasuring = false;
  for (const { startMs } of inFlight) recorder.record(performance.now() - startMs);
  inFlight.clear();
  const window = { calls: recorder.count, ...recorder.summary(), failures, failed };
  recorder.clear();
  failures = [];
  failed = 0;
  return window;
}

const report = (message: BystanderReport) => process.send?.(message);

process.on('message', (order: BystanderOrder) => {
  if (order.kind === 'begin') isMeasuring = true;
  else if (order.kind === 'end') report({ kind: 'window', window: endWindow() });
  else {
    open(order.target).then(
      () => report({ kind: 'opened' }),
      (error: Error) => report({ kind: 'failed', failure: error.message }),
    );
  }
});
process.once('disconnect', () => process.exit(0));
