// What a machine records about upgrades in META. META changes as a whole: a power cut leaves the old or the new values.
import type { System } from '../loader/boot-state.ts';
import { isSlot } from '../slot/slot.ts';

/** What a machine may lack without a fault of its own. */
export const outsideNeeds = ['time servers', 'other nodes', 'quorum'] as const;
export type OutsideNeed = (typeof outsideNeeds)[number];

/** A system that is started before it is known to work. */
export interface Trial {
  readonly system: System;
  /** The system that is started otherwise, and if the trial fails. */
  readonly wayBack: System;
  /**
   * `prepared`: its machined has not run yet. `running`: it has. `given up`: it ended the trial itself, for `reason`.
   */
  readonly phase: 'prepared' | 'running' | 'given up';
  /** Empty unless it was given up. */
  readonly reason: string;
  /** What was missing before the machine was upgraded. */
  readonly missingBefore: readonly OutsideNeed[];
}

/** An upgrade that the next start begins with. */
export interface StagedUpgrade {
  /** The reference of the installer image. */
  readonly image: string;
  /** The options as JSON text, which only the upgrade itself interprets. */
  readonly options: string;
}

export interface UpgradeRecord {
  readonly trial: Trial | undefined;
  /** The system that was confirmed last; undefined when the machine was never upgraded. */
  readonly confirmed: System | undefined;
  /** The system that was confirmed before that. */
  readonly previous: System | undefined;
  /** The last trial that failed, and why; until the next upgrade. */
  readonly failed: { readonly system: System; readonly reason: string } | undefined;
  readonly staged: StagedUpgrade | undefined;
}

export const emptyRecord: UpgradeRecord = {
  ...{ trial: undefined, confirmed: undefined, previous: undefined },
  ...{ failed: undefined, staged: undefined },
};

/** Keys of META. The first three are those of Talos, the last one is our own. Source: Talos v1.14: META partition. */
export const upgradeKeys = { upgrade: 6, stagedImage: 7, stagedOptions: 8, record: 0xfc } as const;

/** In characters. What is longer is cut when it is written, and refused when it is read. */
const longest = { reason: 300, image: 1024, options: 8192, record: 4096 } as const;

/** A reason as it is recorded. */
export const shortReason = (text: string): string =>
  text.length <= longest.reason ? text : `${text.slice(0, longest.reason - 3)}...`;

/**
 * The values of META for a record; all other values of META stay as they are. A value of undefined is to be removed. They must be
 * written together.
 *
 * @throws RangeError for a staged upgrade that is too long to be kept
 */
export function metaValues(record: UpgradeRecord): ReadonlyMap<number, Uint8Array | undefined> {
  const { staged, ...own } = record;
  if (
    staged !== undefined &&
    (staged.image.length > longest.image || staged.options.length > longest.options)
  )
    throw new RangeError('the reference or the options of the staged upgrade are too long');
  const isEmpty = Object.values(own).every((value) => value === undefined);
  const text = (value: string | undefined) => (value === undefined ? undefined : Buffer.from(value));
  return new Map([
    // For clients of Talos: the value names the way back, and its presence says that the running system is not confirmed.
    [upgradeKeys.upgrade, text(record.trial?.wayBack.slot)],
    [upgradeKeys.stagedImage, text(staged?.image)],
    [upgradeKeys.stagedOptions, text(staged?.options)],
    [upgradeKeys.record, isEmpty ? undefined : text(JSON.stringify(own))],
  ]);
}

/** The image of the upgrade that the next start begins with; undefined without one. @param values of META; undefined when they are lost */
export function stagedImage(values: ReadonlyMap<number, Uint8Array> | undefined): string | undefined {
  const record = upgradeRecordFrom(values);
  return record === 'lost' ? undefined : record.staged?.image;
}

/**
 * The record in META.
 *
 * @param values undefined when META is damaged
 * @returns `lost` when there was a record, and nobody knows which
 */
export function upgradeRecordFrom(
  values: ReadonlyMap<number, Uint8Array> | undefined,
): UpgradeRecord | 'lost' {
  if (values === undefined) return 'lost';
  const staged = stagedIn(values);
  const value = values.get(upgradeKeys.record);
  if (value === undefined) return { ...emptyRecord, staged };
  if (value.length > longest.record) return 'lost';
  try {
    const found = fieldsOf(JSON.parse(Buffer.from(value).toString()));
    return {
      staged,
      trial: optional(found.trial, trialFrom),
      confirmed: optional(found.confirmed, systemFrom),
      previous: optional(found.previous, systemFrom),
      failed: optional(found.failed, (failed) => ({
        system: systemFrom(failed.system),
        reason: reasonFrom(failed.reason),
      })),
    };
  } catch {
    return 'lost';
  }
}

/** Whether META says that the next start tries a system, or begins with an upgrade. */
export function hasChosenStart(values: ReadonlyMap<number, Uint8Array> | undefined): boolean {
  const record = upgradeRecordFrom(values);
  return record !== 'lost' && (record.trial !== undefined || record.staged !== undefined);
}

function stagedIn(values: ReadonlyMap<number, Uint8Array>): StagedUpgrade | undefined {
  const text = (key: number) => Buffer.from(values.get(key) ?? []).toString();
  const [image, options] = [text(upgradeKeys.stagedImage), text(upgradeKeys.stagedOptions)];
  const isUsable = image !== '' && image.length <= longest.image && options.length <= longest.options;
  return isUsable ? { image, options } : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const unreadable = () => new Error('this is no record of upgrades');

function optional<T>(value: unknown, read: (fields: Fields) => T): T | undefined {
  if (value === undefined) return undefined;
  return read(fieldsOf(value));
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable();
  return value as Fields;
}

function systemFrom(value: unknown): System {
  const { slot, rootHash } = fieldsOf(value);
  if (typeof slot !== 'string' || !isSlot(slot)) throw unreadable();
  if (typeof rootHash !== 'string' || !/^[0-9a-f]{64}$/.test(rootHash)) throw unreadable();
  return { slot, rootHash };
}

function reasonFrom(value: unknown): string {
  if (typeof value !== 'string' || value.length > longest.reason) throw unreadable();
  return value;
}

function trialFrom({ system, wayBack, phase, reason, missingBefore }: Fields): Trial {
  if (phase !== 'prepared' && phase !== 'running' && phase !== 'given up') throw unreadable();
  if (!Array.isArray(missingBefore)) throw unreadable();
  return {
    ...{ system: systemFrom(system), wayBack: systemFrom(wayBack), phase, reason: reasonFrom(reason) },
    missingBefore: outsideNeeds.filter((need) => missingBefore.includes(need)),
  };
}
