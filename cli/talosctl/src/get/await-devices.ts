import { pauseBy, type Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { CommandLimit } from '../context/command-limit.ts';

/** The kinds that a machine publishes once it has read its devices. */
export const deviceKinds: readonly string[] = [
  'BlockDevices.block.talos.dev',
  'Disks.block.talos.dev',
  'DiscoveredVolumes.block.talos.dev',
  'SystemDisks.block.talos.dev',
  'PCIDevices.hardware.talos.dev',
];

/** The time for devices, in nanoseconds: a machine that starts needs 15 to 45 s. */
export const devicesNanos = 60_000_000_000n;
const lookEveryMs = 1000;
/** From the moment at which the contents of block devices were read, until all kinds of devices are resources. */
const publishMs = 3000;

export interface AwaitDevicesInit<T> {
  /** The resources of a kind of devices. */
  readonly list: () => Promise<readonly T[]>;
  /** Whether the machine has read its devices; undefined where that cannot be asked, such as nodes of upstream. */
  readonly areRead: () => Promise<boolean | undefined>;
  /** Called once, when the first wait begins. */
  readonly onWait: () => void;
  readonly timers: Timers;
  /** Of the whole wait and each of its calls. */
  readonly limit: Pick<CommandLimit, 'signal' | 'isOver' | 'text' | 'guard'>;
}

/**
 * Lists devices of a machine that may just have started. While it has none because it still reads them, it is asked again within
 * the limit. A machine that has read its devices and has none of the kind is believed.
 *
 * @throws Fault `unavailable` when the machine has not read its devices by then; `deadline-exceeded` when a call has no answer by then
 */
export async function awaitDevices<T>(init: AwaitDevicesInit<T>): Promise<readonly T[]> {
  const { list, areRead, onWait, timers, limit } = init;
  let readSinceMs: number | undefined;
  for (let round = 0; ; round += 1) {
    const found = await limit.guard(list());
    if (found.length > 0) return found;
    const answer = await limit.guard(areRead());
    if (answer === undefined) return found;
    const nowMs = timers.monotonicMs();
    readSinceMs = answer ? (readSinceMs ?? nowMs) : undefined;
    if (readSinceMs !== undefined && nowMs - readSinceMs >= publishMs) return found;
    if (round === 0) onWait();
    await pauseBy(timers, lookEveryMs, limit.signal);
    if (limit.isOver) {
      if (readSinceMs !== undefined) return found;
      throw new Fault('unavailable', `the machine has not read its devices after ${limit.text}`);
    }
    limit.signal.throwIfAborted();
  }
}
