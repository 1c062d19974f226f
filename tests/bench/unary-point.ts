import { VersionResponse } from '@nodewright/contract/gen/machine/machine.ts';
import type { LoadTarget, UnaryOutcome } from './load/load-job.ts';
import type { LoadClient } from './load/open-load-client.ts';
import {
  figuresOfRun,
  medianFigures,
  type ProcessGroups,
  type UnaryFigures,
} from './measure/unary-figures.ts';

/** The measured call: small, and answered without further calls. */
export const measuredMethod = '/machine.MachineService/Version';
/** Calls in flight on one connection; more of them take more connections. */
export const streamsPerConnection = 16;
/** Calls in flight while the processes on a route warm up. */
const warmStreams = 64;

/** A route for calls, and the processes on it. */
export interface UnaryTarget {
  readonly name: string;
  /** What stands between the load client and the node, and how many of it one behind the other. */
  readonly gateway: 'none' | 'apid' | 'nghttpx' | 'go-proxy';
  readonly hops: number;
  readonly target: LoadTarget;
  readonly metadata: readonly (readonly [key: string, value: string])[];
  readonly groups: ProcessGroups;
  /** Number of nodes that answer in one reply. */
  readonly nodes: number;
}

/** One line of the table: a target at a number of concurrent streams. */
export interface UnaryPoint {
  readonly target: UnaryTarget;
  readonly streams: number;
  readonly connections: number;
  readonly runs: { readonly outcome: UnaryOutcome; readonly figures: UnaryFigures }[];
}

export interface Pace {
  readonly measureMs: number;
  /** Before each measurement. */
  readonly warmupMs: number;
  /** Load on each target before the first measurement of all. */
  readonly warmMs: number;
  /** The part of this load that is measured as that of new processes. */
  readonly coldMs: number;
  readonly repeats: number;
  readonly signal: AbortSignal;
}

/** Targets grouped by number of streams, so that compared points are measured close together. */
export function planPoints(targets: readonly UnaryTarget[], streams: readonly number[]): UnaryPoint[] {
  return streams.flatMap((count) =>
    targets.map((target) => ({
      target,
      streams: count,
      connections: Math.ceil(count / streamsPerConnection),
      runs: [],
    })),
  );
}

/**
 * Runs every point once, then all of them again, so that a temporary disturbance affects all points. Before that each target is
 * loaded until its processes have compiled their code.
 *
 * @returns a point of each target for the beginning of this load
 */
export async function measurePoints(
  client: LoadClient,
  points: readonly UnaryPoint[],
  pace: Pace,
  progress: (text: string) => void,
): Promise<UnaryPoint[]> {
  const cold: UnaryPoint[] = [];
  const lengths = new Map<UnaryTarget, number>();
  for (const { target } of points) {
    if (lengths.has(target)) continue;
    lengths.set(target, await lengthOfReply(client, target));
    progress(`warm-up: ${target.name}`);
    // A call to several nodes counts once per node, and a caller may have 512 open.
    const streams = target.nodes === 1 ? warmStreams : streamsPerConnection;
    const [point] = planPoints([target], [streams]) as [UnaryPoint];
    const outcome = await run(client, point, lengths, { ...pace, warmupMs: 0, measureMs: pace.coldMs });
    point.runs.push({ outcome, figures: figuresOfRun(outcome, target.groups) });
    cold.push(point);
    await run(client, point, lengths, { ...pace, warmupMs: 0, measureMs: pace.warmMs - pace.coldMs });
    pace.signal.throwIfAborted();
  }
  for (let repeat = 1; repeat <= pace.repeats; repeat += 1) {
    for (const point of points) {
      pace.signal.throwIfAborted();
      progress(
        `${repeat}/${pace.repeats}: ${point.target.name}, ${point.streams} ${point.streams === 1 ? 'stream' : 'streams'}`,
      );
      const outcome = await run(client, point, lengths, pace);
      point.runs.push({ outcome, figures: figuresOfRun(outcome, point.target.groups) });
    }
  }
  return cold;
}

export function figuresOf({ runs }: UnaryPoint): UnaryFigures {
  return medianFigures(runs.map(({ figures }) => figures));
}

function run(
  client: LoadClient,
  { target, streams, connections }: UnaryPoint,
  lengths: ReadonlyMap<UnaryTarget, number>,
  { warmupMs, measureMs }: Pace,
): Promise<UnaryOutcome> {
  return client.run({
    kind: 'unary',
    target: target.target,
    method: measuredMethod,
    metadata: target.metadata,
    streams,
    connections,
    warmupMs,
    measureMs,
    replyBytes: lengths.get(target) ?? 0,
    watchedPids: Object.values(target.groups).flat(),
  });
}

/** Makes one call and checks the answer, so that only correct answers are counted later. */
async function lengthOfReply(
  client: LoadClient,
  { name, target, metadata, nodes }: UnaryTarget,
): Promise<number> {
  const { message } = await client.run({ kind: 'probe', target, metadata, method: measuredMethod });
  const bytes = Buffer.from(message, 'base64');
  const { messages } = VersionResponse.decode(bytes);
  const errors = messages.flatMap(({ metadata: from }) => (from?.error ? [from.error] : []));
  if (errors.length > 0) throw new Error(`${name}: ${errors.join('; ')}`);
  if (messages.length !== nodes) throw new Error(`${name}: ${messages.length} of ${nodes} nodes answer`);
  return bytes.length;
}
