// Which sequence may begin while another one runs. Source: Talos v1.14: sequences, lock and takeover.
import type { SequenceName } from './node-event.ts';

/** The sequences that may replace a running one. All others are refused. */
const takenOverBy: Readonly<Partial<Record<SequenceName, readonly SequenceName[]>>> = {
  initialize: ['maintenanceUpgrade', 'reboot', 'emergencyVolumeCleanup'],
  boot: ['reboot', 'reset', 'upgrade', 'emergencyVolumeCleanup'],
  reboot: ['reboot'],
  reset: ['reboot'],
};

/**
 * Whether the sequence `wanted` may run.
 *
 * @param running undefined: no sequence runs
 * @param hasTakeover the request comes from one of the few that may cancel any sequence: a call of Shutdown,
 * a signal
 */
export function lockDecision(
  running: SequenceName | undefined,
  wanted: SequenceName,
  hasTakeover: boolean,
): 'start' | 'take-over' | 'locked' {
  if (running === undefined) return 'start';
  if (hasTakeover || takenOverBy[running]?.includes(wanted)) return 'take-over';
  return 'locked';
}
