import { randomBytes } from 'node:crypto';
import { MemoryState, pointerTo, type Resource, type Watch } from '@nodewright/state';
import { type MemberSpec, members } from '@nodewright/state/kinds';
import { median } from '../median.ts';
import type { StateFigure } from '../recorded-figures.ts';

/** One line of the figures. */
export interface Row {
  readonly what: string;
  /** Its row of docs/measurements/resources.md, if it has one. */
  readonly id?: StateFigure;
  readonly measured: number;
  readonly unit: string;
  /** What the figure is the median of, if it is one. */
  readonly runs?: readonly number[];
  /** The upper limit, when docs/measurements/resources.md promises one. */
  readonly budget?: number;
}

const rounds = 5;
/** How many writes one `writeCost` makes. */
export const writesMeasured = rounds * 4000;

export const idOf = (at: number) => `node${String(at).padStart(6, '0')}`;

const newMember = (at: number) => ({
  ...pointerTo(members, idOf(at)),
  spec: {
    nodeId: `${at}`,
    addresses: [`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`],
    hostname: idOf(at),
    machineType: 'worker' as const,
    operatingSystem: 'Talos (v1.14.0)',
    controlPlane: undefined,
  },
});

/** A store with a given number of members. */
export async function openStore(count: number): Promise<MemoryState> {
  const store = new MemoryState({
    now: () => performance.timeOrigin + performance.now(),
    cookie: randomBytes(8),
  });
  for (let at = 0; at < count; at += 1) await store.create(newMember(at));
  return store;
}

/** Microseconds of CPU that this process has taken: what else runs on the machine does not change them. */
export function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * Microseconds (CPU) of a write, the median of several rounds of updates of one resource.
 *
 * @param afterEach is waited for within what is measured
 */
export async function writeCost(
  store: Pick<MemoryState, 'get' | 'update'>,
  afterEach?: () => Promise<void>,
  writes = writesMeasured,
): Promise<number> {
  const writesPerRound = writes / rounds;
  let resource: Resource<MemberSpec> = await store.get(pointerTo(members, idOf(0)));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = cpuMicroseconds();
    for (let at = 0; at < writesPerRound; at += 1) {
      const spec = { ...resource.spec, nodeId: `${round}-${at}` };
      resource = await store.update({ ...resource, spec });
      if (afterEach !== undefined) await afterEach();
    }
    times.push((cpuMicroseconds() - start) / writesPerRound);
  }
  return median(times);
}

/** Reads a watch to its end and counts its events. */
export function countEvents(watch: Watch): { readonly seen: () => number } {
  let seen = 0;
  void (async () => {
    for await (const events of watch) seen += events.length;
  })();
  return { seen: () => seen };
}
