import { SeededRandom } from '../../fuzz/seeded-random.ts';

/** What the machine does one after the other. The last request of one phase is not part of the next one. */
export const phases = ['install', 'upgrade', 'confirmation', 'rollback'] as const;
export type Phase = (typeof phases)[number];

/** One power cut. */
export interface Moment {
  /** Such as `upgrade-03`. */
  readonly name: string;
  readonly phase: Phase;
  /** Chooses the writes that survive, and which disk is started. */
  readonly seed: number;
  /** The power fails before this request is complete, counting from 1. */
  readonly cutBefore: number;
  /** Whether a machine is started from one of the disks. */
  readonly isBooted: boolean;
}

/** What is known of a request without its data. */
export interface Request {
  readonly isFlush: boolean;
  /** Whether it changes what a machine starts from: everything but EPHEMERAL and the cache of images. */
  readonly isOfStart: boolean;
}

/** Of this many cuts of a phase one is followed by a start: the others are examined only. */
const bootEvery = 6;

/**
 * The power cuts of a seed: one of each phase after the other, so that a part of them is a sample of all. A moment is drawn from those requests
 * that change what the machine starts from. First the time between two flushes is drawn, then the request: the bulk of a system that is
 * written is thousands of requests, and the few that make it a boot entry matter as much.
 *
 * @param ends the number of requests at the end of each phase
 */
export function planMoments(
  seed: number,
  count: number,
  requests: readonly Request[],
  ends: Readonly<Record<Phase, number>>,
): Moment[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const phase = phases[index % phases.length] as Phase;
    const number = Math.floor(index / phases.length) + 1;
    const before = phases[(index % phases.length) - 1];
    const groups = groupsOf(requests, before === undefined ? 0 : ends[before], ends[phase]);
    if (groups.length === 0) throw new Error(`the ${phase} changes nothing that a machine starts from`);
    return {
      name: `${phase}-${String(number).padStart(2, '0')}`,
      ...{ phase, seed: random.below(2 ** 32), cutBefore: random.pick(random.pick(groups)) + 1 },
      // Another one of each phase, the first ones in the first round.
      isBooted: (number - 1) % bootEvery === (index % phases.length) % bootEvery,
    };
  });
}

/** Indices of the requests that count, in groups that end with a flush. */
function groupsOf(requests: readonly Request[], from: number, end: number): number[][] {
  const groups: number[][] = [];
  let group: number[] = [];
  for (let index = from; index < end; index += 1) {
    const request = requests[index];
    if (request?.isOfStart === true) group.push(index);
    if (request?.isFlush !== true) continue;
    if (group.length > 0) groups.push([...group, index]);
    group = [];
  }
  return group.length > 0 ? [...groups, group] : groups;
}
