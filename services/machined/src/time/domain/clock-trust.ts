import type { NtpStatusSpec, TimeStatusSpec } from '@nodewright/state/kinds';
import type { World } from '../../base/domain/world.ts';

/** One response of a time server. */
export interface ClockSample {
  /** The time of the server minus the time of this clock. */
  readonly offsetMs: number;
}

/** The state between two checks of the clock. */
export interface ClockTrust {
  /**
   * Whether a time server has confirmed the clock since the start. It stays true when the clock becomes wrong later:
   * without renewal all certificates of the node would end, which is worse than certificates that begin at a wrong time.
   */
  readonly isConfirmed: boolean;
  /** The last offsets, without outliers. */
  readonly offsets: readonly number[];
  readonly consecutiveSpikes: number;
  /** How often the clock jumped. */
  readonly epoch: number;
}

export const noTrust: ClockTrust = { isConfirmed: false, offsets: [], consecutiveSpikes: 0, epoch: 0 };

/**
 * A clock that is wrong by more than this cannot be used for certificates. Source: Talos v1.14: TimeStatuses,
 * epoch.
 */
export const jumpMs = 15 * 60_000;
const keptOffsets = 8;
const samplesForJitter = 4;
/** RFC 5905 §10: an offset that exceeds the jitter by this factor is not accepted at once. */
const spikeGate = 3;
/** A smaller offset is never a spike. */
const leastSpikeMs = 100;
/** After this many consecutive spikes the new offset is accepted. */
const believedAfter = 4;

/** Adds a response of a time server. */
export function withSample(trust: ClockTrust, { offsetMs }: ClockSample): ClockTrust {
  const consecutiveSpikes = isSpike(trust.offsets, offsetMs) ? trust.consecutiveSpikes + 1 : 0;
  if (consecutiveSpikes > 0 && consecutiveSpikes < believedAfter) return { ...trust, consecutiveSpikes };
  const offsets = consecutiveSpikes === 0 ? [...trust.offsets, offsetMs].slice(-keptOffsets) : [offsetMs];
  const isConfirmed = trust.isConfirmed || Math.abs(offsetMs) < jumpMs;
  return { ...trust, isConfirmed, offsets, consecutiveSpikes: 0 };
}

function isSpike(offsets: readonly number[], offsetMs: number): boolean {
  const last = offsets.at(-1);
  if (last === undefined || offsets.length < samplesForJitter) return false;
  const steps = offsets.slice(1).map((offset, at) => offset - (offsets[at] ?? 0));
  const jitterMs = Math.sqrt(steps.reduce((sum, step) => sum + step * step, 0) / steps.length);
  return Math.abs(offsetMs - last) > Math.max(spikeGate * jitterMs, leastSpikeMs);
}

/** Adds the drift of the wall clock against the monotonic clock since the last check. */
export function withDrift(trust: ClockTrust, driftMs: number): ClockTrust {
  return Math.abs(driftMs) < jumpMs ? trust : { ...trust, epoch: trust.epoch + 1, offsets: [] };
}

/**
 * A clock that is wrong by less is left alone: nothing here slews it. Source: RFC 5905, section 11.3.
 */
export const stepMs = 128;

/** The state after the clock was set by so much to the time of a server, which confirms it. */
export function withStep(trust: ClockTrust, offsetMs: number): ClockTrust {
  return withSample(withDrift({ ...trust, offsets: [], consecutiveSpikes: 0 }, offsetMs), { offsetMs: 0 });
}

export interface TimeSettings {
  readonly world: Pick<World, 'ownsClock' | 'asksTime'>;
  /** Whether the configuration disables synchronization. */
  readonly isDisabled: boolean;
  /** How long after the start to wait for a confirmed clock; 0 waits without a limit. */
  readonly bootTimeoutMs: number;
  readonly sinceStartMs: number;
}

/**
 * Whether the node queries time servers. A container does not, because it uses the clock of its host.
 * Source: Talos v1.14: time.SyncController.
 */
export function isTimeSynchronized({
  world,
  isDisabled,
}: Pick<TimeSettings, 'world' | 'isDisabled'>): boolean {
  return world.asksTime && !isDisabled;
}

/**
 * Whether the clock can be trusted. The clock of a host is trusted from the start: this node cannot set it,
 * and waiting for a server would not improve it.
 */
export function timeStatusOf({ epoch, isConfirmed }: ClockTrust, settings: TimeSettings): TimeStatusSpec {
  const { world, bootTimeoutMs, sinceStartMs } = settings;
  const isActive = isTimeSynchronized(settings);
  const waitedEnough = bootTimeoutMs > 0 && sinceStartMs >= bootTimeoutMs;
  return {
    synced: !isActive || !world.ownsClock || isConfirmed || waitedEnough,
    epoch,
    syncDisabled: !isActive,
  };
}

export function ntpStatusOf({ consecutiveSpikes }: ClockTrust): NtpStatusSpec {
  return { spikeDetected: consecutiveSpikes > 0, consecutiveSpikes };
}
