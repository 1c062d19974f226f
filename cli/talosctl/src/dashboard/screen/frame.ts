import { cutText, terminalText, textWidth } from '../../output/terminal-text.ts';

/** The meaning of a part of a line; the encoder decides how it looks. */
export type Style =
  | 'plain'
  | 'dim'
  | 'title'
  | 'good'
  | 'warning'
  | 'bad'
  | 'accent'
  /** The bar at the top and at the bottom. */
  | 'bar'
  | 'bar-chosen'
  | 'chosen';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly Span[];
/** The lines of a screen, from the top. */
export type Frame = readonly Line[];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A part of a line. The text may come from a node: this function escapes it. */
export function span(text: string, style: Style = 'plain'): Span {
  return { text: terminalText(text), style };
}

export const line = (...spans: readonly (Span | string)[]): Line =>
  spans.map((part) => (typeof part === 'string' ? span(part) : part));

export const lineWidth = (parts: Line): number =>
  parts.reduce((total, { text }) => total + textWidth(text), 0);

/** A line of exactly `width` columns, with the remainder filled in one style. */
export function fitLine(parts: Line, width: number, rest: Style = 'plain'): Line {
  const fitted: Span[] = [];
  let left = width;
  for (const part of parts) {
    const taken = textWidth(part.text);
    if (taken > left) {
      const text = cutText(part.text, left);
      fitted.push({ text, style: part.style });
      left -= textWidth(text);
      break;
    }
    fitted.push(part);
    left -= taken;
  }
  if (left > 0) fitted.push({ text: ' '.repeat(left), style: rest });
  return fitted;
}

/** A given number of lines, all of one width. */
export function fitFrame(frame: Frame, { columns, rows }: Size): Frame {
  return Array.from({ length: rows }, (_, at) => fitLine(frame[at] ?? [], columns));
}

/** The same line with another style throughout. */
export const restyled = (parts: Line, style: Style): Line => parts.map(({ text }) => ({ text, style }));

/** Frames next to each other with one column between them. */
export function besides(
  left: Frame,
  leftWidth: number,
  right: Frame,
  rightWidth: number,
  rows: number,
): Frame {
  return Array.from({ length: rows }, (_, at) => [
    ...fitLine(left[at] ?? [], leftWidth),
    span('│', 'dim'),
    ...fitLine(right[at] ?? [], rightWidth),
  ]);
}

/** The visible text without styles, for tests. */
export const frameText = (frame: Frame): string[] =>
  frame.map((parts) =>
    parts
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
