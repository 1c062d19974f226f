import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayStarter } from './gateways.ts';
import type { LoadTarget } from './load/load-job.ts';
import type { LoadClient } from './load/open-load-client.ts';
import { startStreamBackend } from './load/start-stream-backend.ts';
import { trackMemory } from './measure/track-memory.ts';
import { median } from './median.ts';
import type { BenchOptions } from './options.ts';
import type { Nghttpx } from './peers/find-nghttpx.ts';
import type { GoProxy } from './peers/go-proxy.ts';
import type { StreamResult } from './report/bench-results.ts';

/** A server stream that apid forwards unchanged. */
const streamMethod = '/machine.MachineService/Copy';
export const streamBytes = 200e6;
export const streamMessageBytes = 32 * 1024;
/** A reader far slower than everything else. */
const slowBytesPerSecond = 10e6;
/** How long to wait for memory to fall again, in milliseconds. */
const settleMs = 1500;

interface StreamTarget {
  readonly name: string;
  readonly target: LoadTarget;
  /** The gateway; `undefined` without one. */
  readonly pid: number | undefined;
}

interface StreamPoint {
  readonly target: StreamTarget;
  readonly reader: StreamResult['reader'];
  readonly isFirst: boolean;
  readonly runs: StreamResult['runs'][number][];
}

export interface StreamSurroundings {
  readonly starter: GatewayStarter;
  readonly workspace: string;
  readonly client: LoadClient;
  readonly nghttpx: Nghttpx | undefined;
  readonly goProxy: GoProxy | undefined;
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
}

/**
 * A long stream from a stand-in for machined, straight and through gateways that have nothing else to do: at full
 * speed once through the new gateways, then, after a few streams more, every repeat, then once with a reader so slow that nearly all of it must wait in front of the gateway.
 */
export async function measureStreams(
  surroundings: StreamSurroundings,
  progress: (text: string) => void,
): Promise<StreamResult[]> {
  const { starter, workspace, nghttpx, goProxy, options, signal } = surroundings;
  const socket = join(workspace, 'stream.sock');
  await using _backend = await startStreamBackend(socket, streamBytes, streamMessageBytes);
  const apid = await starter.apid(socket);
  const peer = nghttpx === undefined ? undefined : await starter.nghttpx(nghttpx, { path: socket });
  const goPeer = goProxy === undefined ? undefined : await starter.goProxy(goProxy, socket);
  const targets: StreamTarget[] = [
    { name: 'no gateway', target: { kind: 'unix', path: socket }, pid: undefined },
    { name: 'apid', ...apid },
    ...(peer === undefined ? [] : [{ name: 'nghttpx', ...peer }]),
    ...(goPeer === undefined ? [] : [{ name: 'Go proxy', ...goPeer }]),
  ];
  const pointsOf = (all: readonly StreamTarget[], reader: StreamPoint['reader'], isFirst: boolean) =>
    all.map((target): StreamPoint => ({ target, reader, isFirst, runs: [] }));
  const first = pointsOf(targets.slice(1), 'fast', true);
  const fast = pointsOf(targets, 'fast', false);
  const slow = pointsOf(targets.slice(1), 'slow', false);
  for (const point of first) {
    signal.throwIfAborted();
    progress(`the first ${streamBytes / 1e6} MB, ${point.target.name}`);
    await runPoint(surroundings, point);
  }
  for (let warm = 1; warm <= options.warmStreams; warm += 1) {
    for (const { target, reader, isFirst } of first) {
      signal.throwIfAborted();
      progress(`warm-up ${warm}/${options.warmStreams}: ${target.name}`);
      await runPoint(surroundings, { target, reader, isFirst, runs: [] });
    }
  }
  for (let repeat = 1; repeat <= options.repeats; repeat += 1) {
    for (const point of fast) {
      signal.throwIfAborted();
      progress(`${repeat}/${options.repeats}: ${streamBytes / 1e6} MB, ${point.target.name}`);
      await runPoint(surroundings, point);
    }
  }
  for (const point of slow) {
    signal.throwIfAborted();
    progress(`a slow reader, ${point.target.name}`);
    await runPoint(surroundings, point);
  }
  return [...first, ...fast, ...slow].map(resultOf);
}

async function runPoint({ client, options }: StreamSurroundings, { target, reader, runs }: StreamPoint) {
  const stopTracking = target.pid === undefined ? undefined : trackMemory(target.pid);
  const outcome = await client.run({
    kind: 'stream',
    target: target.target,
    method: streamMethod,
    metadata: [],
    watchedPids: target.pid === undefined ? [] : [target.pid],
    ...(reader === 'slow' ? { slow: { bytesPerSecond: slowBytesPerSecond, limitMs: options.slowMs } } : {}),
  });
  const endedAt = performance.now();
  if (stopTracking !== undefined) await sleep(settleMs);
  runs.push({ outcome, memory: stopTracking?.(endedAt) });
}

function resultOf({ target, reader, isFirst, runs }: StreamPoint): StreamResult {
  const middle = (figure: (outcome: StreamResult['runs'][number]['outcome']) => number) =>
    median(runs.map(({ outcome }) => figure(outcome)));
  const { pid } = target;
  return {
    target: target.name,
    reader,
    isFirst,
    megabytes: middle(({ bytes }) => bytes / 1e6),
    megabytesPerSecond: middle(({ bytes, durationMs }) => bytes / 1e3 / durationMs),
    gatewayCpuMsPer100MB:
      pid === undefined
        ? undefined
        : middle(({ cpuMs, bytes }) => ((cpuMs[pid] ?? Number.NaN) * 1e8) / bytes),
    memory: runs.at(-1)?.memory,
    runs,
  };
}
