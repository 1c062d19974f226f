import type { NtpStatusSpec, TimeStatusSpec } from '@nodewright/state/kinds';
import type { World } from '../../base/domain/world.ts';

/** What one answer of a time server says. */
export interface ClockSample {
  /** What must be added to this clock to get the server's. */
  readonly offsetMs: number;
}

/** What is remembered from one look at the clock to the next. */
export interface ClockTrust {
  /** A time server has answered since the start, and the clock was right. */
  readonly isConfirmed: boolean;
  /** Offsets that were no spikes, the last ones. */
  readonly offsets: readonly number[];
  readonly consecutiveSpikes: number;
  /** How often the clock jumped. */
  readonly epoch: number;
}

export const noTrust: ClockTrust = { isConfirmed: false, offsets: [], consecutiveSpikes: 0, epoch: 0 };

/** A clock that is wrong by this much is of no use for certificates. Source: Talos v1.14: TimeStatuses, epoch. */
export const jumpMs = 15 * 60_000;
const keptOffsets = 8;
const samplesForJitter = 4;
/** RFC 5905 §10: an offset this many times the jitter away is not believed at once. */
const spikeGate = 3;
/** Below this much a difference says nothing of a clock. */
const leastSpikeMs = 100;
/** So many in a row are no chance. */
const believedAfter = 4;

/** Takes in an answer. */
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

/** Takes in by how much the clock moved beside one that only goes forward, since the last look. */
export function withDrift(trust: ClockTrust, driftMs: number): ClockTrust {
  return Math.abs(driftMs) < jumpMs ? trust : { ...trust, epoch: trust.epoch + 1, offsets: [] };
}

export interface TimeSettings {
  readonly world: Pick<World, 'ownsClock' | 'asksTime'>;
  /** The configuration wants no synchronization. */
  readonly isDisabled: boolean;
  /** How long after the start the clock is waited for; 0: for ever. */
  readonly bootTimeoutMs: number;
  readonly sinceStartMs: number;
}

/**
 * Whether anybody asks time servers: in a container it is the business of its host, whose clock it has.
 * Source: Talos v1.14: time.SyncController.
 */
export function isTimeSynchronized({
  world,
  isDisabled,
}: Pick<TimeSettings, 'world' | 'isDisabled'>): boolean {
  return world.asksTime && !isDisabled;
}

/**
 * Whether the clock can be trusted. Where the clock is that of a host it is trusted from the start, as nobody here may
 * set it, and waiting for a server would not make it better.
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
