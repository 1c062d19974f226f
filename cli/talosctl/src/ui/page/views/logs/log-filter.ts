import type { LogLevel } from '../../../protocol/messages.ts';
import type { MergedLine } from '../../store/merged-log.ts';

/** The least severe level that is shown. */
export const leastLevels = ['debug', 'info', 'warning', 'error'] as const;
export type LeastLevel = (typeof leastLevels)[number];

export interface LogFilter {
  readonly least: LeastLevel;
  /** A part of the text, in any case; or a trace id. */
  readonly text: string;
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, unknown: 1, info: 1, warning: 2, error: 3 };

/** The lines that pass the filter. A line without a level counts as info. */
export function filterLines(lines: readonly MergedLine[], { least, text }: LogFilter): readonly MergedLine[] {
  const rank = ranks[least];
  const wanted = text.trim().toLowerCase();
  if (rank === 0 && wanted === '') return lines;
  return lines.filter(
    (line) =>
      ranks[line.level] >= rank &&
      (wanted === '' || line.text.toLowerCase().includes(wanted) || line.trace === wanted),
  );
}
