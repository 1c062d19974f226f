import type { HeldVersion } from './held-versions.ts';

export type RegistryKind = 'debian' | 'npm' | 'go';

/** A locked version, and what its registry has. */
export interface KnownVersion {
  readonly kind: RegistryKind;
  readonly name: string;
  readonly version: string;
  /** What would be locked now. */
  readonly newest: string;
  /** Since when there has been something newer; undefined when the registry does not say it. */
  readonly newerSince?: Date;
  /** The time is that of the lock: something newer appeared at some time after it. */
  readonly isLatest?: true;
}

export interface FreshnessRow {
  readonly kind: RegistryKind;
  readonly name: string;
  readonly version: string;
  readonly newest: string;
  /** Days for which it has been old, rounded down; undefined when it is not known. */
  readonly days?: number;
  /** The days are an upper bound. */
  readonly atMost?: true;
  /** Why it stays. */
  readonly held?: string;
}

const dayMs = 24 * 3600 * 1000;

/**
 * What is old, the longest first, and after that all exceptions, also those of which nothing newer is known. A version that is
 * locked several times, as for two architectures, is one row.
 */
export function freshnessRows(
  known: readonly KnownVersion[],
  held: readonly HeldVersion[],
  now: Date,
): readonly FreshnessRow[] {
  const old = known.filter(({ version, newest }) => version !== newest);
  const rows = old.map((one): FreshnessRow => {
    const { kind, name, version, newest, newerSince, isLatest } = one;
    const reason = held.find((row) => row.kind === kind && row.name === name)?.reason;
    return {
      ...{ kind, name, version, newest },
      ...(newerSince !== undefined && { days: Math.max(0, Math.floor((+now - +newerSince) / dayMs)) }),
      ...(newerSince !== undefined && isLatest && { atMost: true }),
      ...(reason !== undefined && { held: reason }),
    };
  });
  const key = ({ kind, name, version }: { kind: string; name: string; version: string }) =>
    `${kind} ${name} ${version}`;
  const distinct = [...new Map(rows.map((row) => [key(row), row])).values()];
  const isOld = new Set(distinct.map(key));
  const others = held
    .filter((row) => !isOld.has(key(row)))
    .map(
      ({ kind, name, version, reason }): FreshnessRow => ({
        ...{ kind, name, version, newest: version, held: reason },
      }),
    );
  const rank = ({ held: reason, days = -1 }: FreshnessRow) => (reason === undefined ? 1e9 : 0) + days;
  return [...distinct.toSorted((a, b) => rank(b) - rank(a)), ...others];
}

/** The rows as text: one line for each, and one that sums them. */
export function freshnessText(rows: readonly FreshnessRow[]): string {
  const cells = rows.map(({ kind, name, version, newest, days, atMost, held }) => [
    kind,
    name,
    version,
    newest === version ? '' : newest,
    days === undefined ? '' : `${atMost ? 'at most ' : ''}${days} ${days === 1 ? 'day' : 'days'}`,
    held ?? '',
  ]);
  const table = [['KIND', 'NAME', 'LOCKED', 'NEWEST', 'OLD FOR', 'STAYS BECAUSE'], ...cells];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  );
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
  const old = rows.filter(({ held }) => held === undefined).length;
  const sum = `${old} old${old > 0 ? ': make update renews them' : ''}, ${rows.length - old} held`;
  return `${rows.length === 0 ? '' : `${lines.join('\n')}\n`}${sum}\n`;
}
