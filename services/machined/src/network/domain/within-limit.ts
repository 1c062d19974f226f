import type { Layer } from './merge-layers.ts';

/** The first ones of a list, and a line about the others. */
export function withinLimit<T>(
  list: readonly T[],
  { limit, what }: { readonly limit: number; readonly what: string },
  waiting: string[],
): readonly T[] {
  if (list.length <= limit) return list;
  waiting.push(`of ${list.length} ${what} only ${limit} are applied`);
  return list.slice(0, limit);
}

/**
 * Those of the configuration last, which alone may have thousands: a limit then takes neither the address nor the route of `ip=` or of a
 * server, by which the machine is reached.
 */
export function configuredLast<T extends { readonly layer: Layer }>(list: readonly T[]): T[] {
  const isConfigured = ({ layer }: T) => layer === 'configuration';
  return [...list.filter((each) => !isConfigured(each)), ...list.filter(isConfigured)];
}
