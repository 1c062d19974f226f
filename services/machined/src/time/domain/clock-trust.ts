import type { NtpStatusSpec, TimeStatusSpec } from '@nodewright/state/kinds';
import type { World } from '../../base/domain/world.ts';

/** One answer of a time server. */
export interface ClockSample {
  /** The value to add to this clock to get the server's. */
  readonly offsetMs: number;
}

/** The state between two checks of the clock. */
export interface ClockTrust {
  /** Whether a time server has confirmed the clock since the start. */
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
/** Smaller differences are noise. */
const leastSpikeMs = 100;
/** This many outliers in a row are accepted. */
const believedAfter = 4;

/** Processes an answer. */
export function withSample(trust: ClockTrust, { offsetMs }: ClockSample): ClockTrust {
  const consecutiveSpikes = isSpike(trust.offsets, offsetMs) ? trust.consecutiveSpikes + 1 : 0;
  if (consecutiveSpikes > 0 && consecutiveSpikes < believedAfter) return { ...trust, consecutiveSpikes };
  const offsets = consecutiveSpikes === 0 ? [...trust.offsets, offsetMs].slice(-keptOffsets) : [offsetMs];
  return { ...trust, isConfirmed: Math.abs(offsetMs) < jumpMs, offsets, consecutiveSpikes: 0 };
}

function isSpike(offsets: readonly number[], offsetMs: number): boolean {
  const last = offsets.at(-1);
  if (last === undefined || offsets.length < samplesForJitter) return false;
  const steps = offsets.slice(1).map((offset, at) => offset - (offsets[at] ?? 0));
  const jitterMs = Math.sqrt(steps.reduce((sum, step) => sum + step * step, 0) / steps.length);
  return Math.abs(offsetMs - last) > Math.max(spikeGate * jitterMs, leastSpikeMs);
}

/** Processes the difference between the movement of the clock and of a monotonic one since the last check. */
export function withDrift(trust: ClockTrust, driftMs: number): ClockTrust {
  return Math.abs(driftMs) < jumpMs ? trust : { ...trust, epoch: trust.epoch + 1, offsets: [] };
}

export interface TimeSettings {
  readonly world: Pick<World, 'ownsClock' | 'asksTime'>;
  /** The configuration disables synchronization. */
  readonly isDisabled: boolean;
  /** How long after the start to wait for the clock; 0: without limit. */
  readonly bootTimeoutMs: number;
  readonly sinceStartMs: number;
}

/**
 * Whether time servers are queried: in a container the host, whose clock it uses, is responsible. Source:
 * Talos v1.14: time.SyncController.
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
