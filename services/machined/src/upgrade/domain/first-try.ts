import { isSameSystem, type System, type UpgradeRecord } from '@nodewright/boot';

/**
 * Whether a start that cannot read or change its slots should be left for the way back. Not when the record says that the tried system has run:
 * its default may be stored already, so that a restart would lead to it again.
 */
export const isFirstTry = (record: UpgradeRecord | 'lost', running: System): boolean =>
  record !== 'lost' &&
  record.trial !== undefined &&
  record.trial.phase !== 'running' &&
  isSameSystem(record.trial.system, running);
