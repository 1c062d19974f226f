import { padText, textWidth } from '../../output/terminal-text.ts';
import { type Frame, fitLine, type Line, line, type Span, type Style, span } from './frame.ts';

/** `── Title ─────`, with a note at its end. */
export function heading(title: string, width: number, note = ''): Line {
  const tail = note === '' ? '' : ` ${note} ──`;
  const room = Math.max(0, width - textWidth(title) - 4 - textWidth(tail));
  return fitLine(
    line(span('── ', 'dim'), span(title, 'title'), span(` ${'─'.repeat(room)}${tail}`, 'dim')),
    width,
  );
}

/** A share as a bar whose colour depends on how full it is. */
export function bar(share: number | undefined, width: number): Span[] {
  if (share === undefined) return [span('░'.repeat(width), 'dim')];
  const filled = Math.max(0, Math.min(width, Math.round(share * width)));
  return [span('█'.repeat(filled), alarm(share)), span('░'.repeat(width - filled), 'dim')];
}

export function alarm(share: number): Style {
  if (share >= 0.9) return 'bad';
  return share >= 0.75 ? 'warning' : 'good';
}

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** The minimum width; wider cells widen the column up to `most`. */
  readonly most?: number;
  readonly side?: 'left' | 'right';
}

export type Cell = string | Span;

/**
 * A table in a given number of columns of the screen; the last column takes the remainder. The header is its
 * first line.
 */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): Frame {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? span(cell) : cell)));
  const widths = columns.map(({ title, most = 40 }, at) =>
    Math.min(
      most,
      cells.reduce((widest, row) => Math.max(widest, textWidth(row[at]?.text ?? '')), textWidth(title)),
    ),
  );
  const shape = (parts: readonly Span[]): Line =>
    fitLine(
      columns.flatMap(({ side = 'left' }, at) => {
        const part = parts[at] ?? span('');
        const isLast = at === columns.length - 1;
        const text = isLast && side === 'left' ? part.text : padText(part.text, widths[at] as number, side);
        return [{ text, style: part.style }, span(isLast ? '' : '  ')];
      }),
      width,
    );
  return [shape(columns.map(({ title }) => span(title, 'dim'))), ...cells.map(shape)];
}

/** `label  value`, the label in a column of its own. */
export function field(label: string, value: Cell, labelWidth: number): Line {
  return line(span(padText(label, labelWidth), 'dim'), ' ', typeof value === 'string' ? span(value) : value);
}

/** The range of lines of a list to show so that the selected one is visible. */
export function windowOf(count: number, rows: number, chosen: number): number {
  if (count <= rows) return 0;
  return Math.max(0, Math.min(chosen - Math.floor(rows / 2), count - rows));
}
