import { pauseBy, type Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';

/** The kinds that a machine publishes once it has read its devices. */
export const deviceKinds: readonly string[] = [
  'BlockDevices.block.talos.dev',
  'Disks.block.talos.dev',
  'DiscoveredVolumes.block.talos.dev',
  'SystemDisks.block.talos.dev',
  'PCIDevices.hardware.talos.dev',
];

/** A machine that starts needs 15 to 45 s. */
const longestMs = 60_000;
const lookEveryMs = 1000;
/** From the moment at which the devices are followed, until they are resources. */
const publishMs = 3000;

export interface AwaitDevicesInit<T> {
  /** The resources of a kind of devices. */
  readonly list: () => Promise<readonly T[]>;
  /** Whether the machine follows its devices; undefined where that cannot be asked, such as nodes of upstream. */
  readonly areFollowed: () => Promise<boolean | undefined>;
  /** Called once, when the first wait begins. */
  readonly onWait: () => void;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

/**
 * Lists devices of a machine that may just have started. While it has none because it still reads them, it is asked again for up
 * to 60 s. A machine that follows its devices and has none of the kind is believed.
 *
 * @throws Fault `unavailable` when the machine has not read its devices by then
 */
export async function awaitDevices<T>(init: AwaitDevicesInit<T>): Promise<readonly T[]> {
  const { list, areFollowed, onWait, timers, signal } = init;
  const startMs = timers.monotonicMs();
  let followedSinceMs: number | undefined;
  for (let round = 0; ; round += 1) {
    const found = await list();
    if (found.length > 0) return found;
    const answer = await areFollowed();
    if (answer === undefined) return found;
    const nowMs = timers.monotonicMs();
    followedSinceMs = answer ? (followedSinceMs ?? nowMs) : undefined;
    if (followedSinceMs !== undefined && nowMs - followedSinceMs >= publishMs) return found;
    if (nowMs - startMs >= longestMs)
      throw new Fault('unavailable', `the machine has not read its devices after ${longestMs / 1000} s`);
    if (round === 0) onWait();
    await pauseBy(timers, lookEveryMs, signal);
    signal.throwIfAborted();
  }
}
