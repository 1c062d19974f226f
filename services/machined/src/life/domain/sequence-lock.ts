// Which sequence may begin while another one runs. Source: Talos v1.14: sequences, lock and takeover.
import type { SequenceName } from './node-event.ts';

/** What may take the place of a sequence that runs. What is not named may be taken over by nothing. */
const takenOverBy: Readonly<Partial<Record<SequenceName, readonly SequenceName[]>>> = {
  initialize: ['maintenanceUpgrade', 'reboot', 'emergencyVolumeCleanup'],
  boot: ['reboot', 'reset', 'upgrade', 'emergencyVolumeCleanup'],
  reboot: ['reboot'],
  reset: ['reboot'],
};

/**
 * What becomes of the wish to run `wanted`.
 *
 * @param running undefined: no sequence runs
 * @param hasTakeover the wish comes from one of the few that may end any sequence: a call of Shutdown, a signal
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
