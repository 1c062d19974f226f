import type { DependencyKind } from './dependency.ts';

export const ink = '#1f2328';
export const paleInk = '#656d76';

/** What a line means by its look. `mark` stands before an input that is told in words. */
export interface LineLook {
  readonly meaning: string;
  readonly color: string;
  readonly width: number;
  /** In the words of Graphviz and in the dashes of SVG. */
  readonly style: 'solid' | 'dashed' | 'dotted';
  readonly dashes: string;
  readonly mark: string;
}

export const lineLooks: Readonly<Record<DependencyKind, LineLook>> = {
  'output-exclusive': look('writes, alone', '#0969da', 1.6, 'solid'),
  'output-shared': look('writes, as others do', '#0969da', 1.3, 'dashed'),
  'input-strong': look('reads, and may hold', '#bc4c00', 1.4, 'solid', '◆'),
  'input-weak': look('reads', '#8c959f', 1, 'solid', '◇'),
  'input-destroy-ready': look('finishes what others tore down', '#8250df', 1, 'dotted', '✕'),
};

function look(meaning: string, color: string, width: number, style: LineLook['style'], mark = ''): LineLook {
  const dashes = { solid: '', dashed: '5 3', dotted: '2 3' }[style];
  return { meaning, color, width, style, dashes, mark };
}

/** Of the notes of a family and of the head of its panel: light enough for dark letters. */
const tints = [
  ...['#ddf4ff', '#dafbe1', '#fff8c5', '#fbefff', '#ffebe9', '#fff1e5', '#d8f5f0', '#e7e9ff'],
  ...['#f0f6d8', '#fde7f3', '#e6eef5', '#f3ead9'],
];

/** @param at the number of the family */
export const tintOf = (at: number): string => tints[at % tints.length] ?? '#eaeef2';
