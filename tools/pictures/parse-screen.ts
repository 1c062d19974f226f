import { textWidth } from '../../cli/talosctl/src/output/terminal-text.ts';

/** A part of a line of a terminal in one look. Colours are CSS colours; undefined is the terminal's own. */
export interface Run {
  readonly text: string;
  /** The column in which it begins, from 0. */
  readonly column: number;
  readonly columns: number;
  readonly colour?: string;
  readonly background?: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export type ScreenLine = readonly Run[];

/** The sixteen colours of the pictures, dark ones first: a palette that is legible on `screenColours.background`. */
const palette = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
] as const;

export const screenColours = { foreground: '#c9d1d9', background: '#0d1117' } as const;

interface Look {
  readonly colour?: string;
  readonly background?: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isReversed: boolean;
}

const plain: Look = { isBold: false, isDim: false, isReversed: false };

/** The lines of what `tmux capture-pane -e -p` prints: text with SGR sequences, whose looks continue on the next line. */
export function parseScreen(captured: string): ScreenLine[] {
  let look = plain;
  return captured.split('\n').map((line) => {
    const runs: Run[] = [];
    let column = 0;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is looked for
    for (const [part, parameters] of line.matchAll(/\u001b\[([\d;:]*)m|[^\u001b]+|\u001b/g)) {
      if (parameters !== undefined) {
        look = afterSgr(look, parameters);
        continue;
      }
      if (part === '\u001b') throw new Error(`an escape sequence that is no SGR: ${JSON.stringify(line)}`);
      const columns = textWidth(part);
      runs.push({ text: part, column, columns, ...shownLook(look) });
      column += columns;
    }
    return runs;
  });
}

function shownLook({
  colour,
  background,
  isBold,
  isDim,
  isReversed,
}: Look): Omit<Run, 'text' | 'column' | 'columns'> {
  const [fore, back] = isReversed
    ? [background ?? screenColours.background, colour ?? screenColours.foreground]
    : [colour, background];
  return {
    ...(fore === undefined ? {} : { colour: fore }),
    ...(back === undefined ? {} : { background: back }),
    ...{ isBold, isDim },
  };
}

function afterSgr(look: Look, parameters: string): Look {
  return (parameters === '' ? '0' : parameters).split(/[;:]/).map(Number).reduce(afterParameter, look);
}

/** Only what the programs of this project send: sixteen colours, bold, dim and reverse. */
function afterParameter(look: Look, parameter: number): Look {
  if (parameter === 0) return plain;
  if (parameter === 1) return { ...look, isBold: true };
  if (parameter === 2) return { ...look, isDim: true };
  if (parameter === 7) return { ...look, isReversed: true };
  if (parameter === 22) return { ...look, isBold: false, isDim: false };
  if (parameter === 27) return { ...look, isReversed: false };
  const { colour: _, ...uncoloured } = look;
  if (parameter === 39) return uncoloured;
  const { background: __, ...transparent } = look;
  if (parameter === 49) return transparent;
  const [kind, index] = [Math.floor(parameter / 10), parameter % 10];
  const named = palette[kind >= 9 ? index + 8 : index];
  if (index > 7 || named === undefined) throw new Error(`a look that pictures do not have: SGR ${parameter}`);
  if (kind === 3 || kind === 9) return { ...look, colour: named };
  if (kind === 4 || kind === 10) return { ...look, background: named };
  throw new Error(`a look that pictures do not have: SGR ${parameter}`);
}
