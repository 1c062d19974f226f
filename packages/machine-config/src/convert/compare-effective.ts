import type { Configuration } from '../config-document.ts';
import type { ConversionNote } from './conversion.ts';
import { effectiveView } from './effective-view.ts';

/** A setting of the node that is different. It has no values: they may be secrets. */
export interface EffectiveDifference {
  /** The setting, such as `controlPlane.apiServer.image`. */
  readonly path: string;
  readonly kind: 'changed' | 'added' | 'removed';
}

/**
 * Compares what nodes make of two configurations, setting by setting, in whichever form they are written. Lists are compared in
 * order, mappings are not.
 *
 * @throws the faults of `effectiveView`
 */
export function compareEffective(before: Configuration, after: Configuration): EffectiveDifference[] {
  return compareValues(effectiveView(before), effectiveView(after));
}

/** Compares two values part by part. Lists are compared in order, mappings are not. */
export function compareValues(before: unknown, after: unknown): EffectiveDifference[] {
  const differences: EffectiveDifference[] = [];
  compare(before, after, '', differences);
  return differences;
}

/** Whether a note of a conversion names the setting, or one around it. */
export function isNamedBy({ effective: name }: Pick<ConversionNote, 'effective'>, path: string): boolean {
  return name !== undefined && (path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));
}

/** The differences that no note of the conversion names. */
export function unexplained(
  differences: readonly EffectiveDifference[],
  notes: readonly ConversionNote[],
): EffectiveDifference[] {
  return differences.filter(({ path }) => !notes.some((note) => isNamedBy(note, path)));
}

function compare(before: unknown, after: unknown, path: string, into: EffectiveDifference[]): void {
  if (Object.is(before, after)) return;
  if (before === undefined || after === undefined) {
    into.push({ path, kind: before === undefined ? 'added' : 'removed' });
    return;
  }
  if (!isCollection(before) || !isCollection(after) || Array.isArray(before) !== Array.isArray(after)) {
    into.push({ path, kind: 'changed' });
    return;
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of keys) {
    const own = (value: object) =>
      Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    const at = Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    compare(own(before), own(after), at, into);
  }
}

function isCollection(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
