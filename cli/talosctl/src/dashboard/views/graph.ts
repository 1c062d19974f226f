import { type Frame, line, type Span, span } from '../screen/frame.ts';
import { heading } from '../screen/widgets.ts';

const blocks = ' ▁▂▃▄▅▆▇█';
const steps = blocks.length - 1;

export interface GraphInit {
  readonly title: string;
  /** Newest last. */
  readonly values: readonly number[];
  readonly width: number;
  /** Rows of the graph itself, at least one; the heading is above it. */
  readonly rows: number;
  /** Value of a full column; default the highest value. */
  readonly most?: number;
  /** The newest value as text. */
  readonly last?: string | undefined;
}

/** A graph under a heading, all of its history in the width that there is, newest at the right. */
export function graph({ title, last, width, ...init }: GraphInit): Frame {
  return [
    heading(title, width, last ?? ''),
    ...graphLines({ ...init, width: width - 1 }).map((row) => line(' ', row)),
  ];
}

/** The rows of a graph, from the top. */
export function graphLines({
  values,
  width,
  rows,
  most,
}: Omit<GraphInit, 'title' | 'last'>): readonly Span[] {
  const columns = compressed(values, Math.max(1, width));
  const highest = most ?? Math.max(...columns, Number.MIN_VALUE);
  const heights = columns.map((value) => {
    const share = Math.min(1, Math.max(0, value) / highest);
    // What is not zero is visible.
    return value > 0 ? Math.max(1, Math.round(share * rows * steps)) : 0;
  });
  return Array.from({ length: rows }, (_, row) => {
    const floor = (rows - 1 - row) * steps;
    const text = heights
      .map((height) => blocks[Math.max(0, Math.min(steps, height - floor))])
      .join('')
      .padStart(Math.max(1, width));
    return span(text, 'accent');
  });
}

/** As many values as there are columns: each is the highest of those that it stands for. */
export function compressed(values: readonly number[], width: number): readonly number[] {
  if (values.length <= width) return values;
  return Array.from({ length: width }, (_, at) => {
    const [from, to] = [at, at + 1].map((edge) => Math.floor((edge * values.length) / width)) as [
      number,
      number,
    ];
    return Math.max(...values.slice(from, to));
  });
}
