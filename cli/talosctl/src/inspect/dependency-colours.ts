import type { DependencyKind } from './dependency.ts';

export const ink = '#1f2328';
export const paleInk = '#656d76';

/** The meaning and style of a line. `mark` precedes an input that is listed by name instead of drawn. */
export interface LineLook {
  readonly meaning: string;
  readonly color: string;
  readonly width: number;
  /** The style in Graphviz; `dashes` is the same in SVG. */
  readonly style: 'solid' | 'dashed' | 'dotted';
  readonly dashes: string;
  readonly mark: string;
}

export const lineLooks: Readonly<Record<DependencyKind, LineLook>> = {
  'output-exclusive': look('writes, exclusively', '#0969da', 1.6, 'solid'),
  'output-shared': look('writes, shared', '#0969da', 1.3, 'dashed'),
  'input-strong': look('reads, may add finalizers', '#bc4c00', 1.4, 'solid', '◆'),
  'input-weak': look('reads', '#8c959f', 1, 'solid', '◇'),
  'input-destroy-ready': look('destroys after teardown', '#8250df', 1, 'dotted', '✕'),
};

function look(meaning: string, color: string, width: number, style: LineLook['style'], mark = ''): LineLook {
  const dashes = { solid: '', dashed: '5 3', dotted: '2 3' }[style];
  return { meaning, color, width, style, dashes, mark };
}

/** Background colours of a family's notes and panel title, light enough for dark text. */
const tints = [
  ...['#ddf4ff', '#dafbe1', '#fff8c5', '#fbefff', '#ffebe9', '#fff1e5', '#d8f5f0', '#e7e9ff'],
  ...['#f0f6d8', '#fde7f3', '#e6eef5', '#f3ead9'],
];

/** @param at the index of the family */
export const tintOf = (at: number): string => tints[at % tints.length] ?? '#eaeef2';
