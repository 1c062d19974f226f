// The clock of a machine, which only its first process sets.
import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { MachineClock } from '../domain/machine-clock.ts';

export interface MachineClockInit {
  readonly calls: Pick<NativeCalls, 'setRealTimeClock'>;
  /** The time of the build, ISO 8601; empty when it is not known. */
  readonly built: string;
  /** The clock of the machine, Unix ms. */
  readonly now: () => number;
  readonly log: Logger;
}

/** Takes over the clock. One that is before the build of the image, such as without a battery, is set to the time of the build. */
export function openMachineClock({ calls, built, now, log }: MachineClockInit): MachineClock {
  const parsed = Date.parse(built);
  const builtMs = Number.isNaN(parsed) ? undefined : parsed;
  const nowMs = now();
  const wasBehind = builtMs !== undefined && nowMs < builtMs;
  if (wasBehind) {
    const fields = { clock: new Date(nowMs).toISOString(), built };
    try {
      calls.setRealTimeClock(builtMs);
      log.warn(fields, 'the clock was before the build of this image, and is set to it');
    } catch (error) {
      log.error(
        { ...fields, error: faultFrom(error).message },
        'the clock is before the build of this image',
      );
    }
  }
  return { builtMs, wasBehind, set: (unixMs) => calls.setRealTimeClock(unixMs) };
}
