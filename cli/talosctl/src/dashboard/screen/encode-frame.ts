import { textWidth } from '../../output/terminal-text.ts';
import type { Frame, Line, Style } from './frame.ts';

/** SGR parameters of each style with colours, and without (https://no-color.org). */
const looks: Readonly<Record<Style, readonly [colour: string, mono: string]>> = {
  plain: ['', ''],
  dim: ['90', '2'],
  title: ['1', '1'],
  good: ['32', ''],
  warning: ['33', '1'],
  bad: ['31;1', '1'],
  accent: ['36', ''],
  bar: ['7', '7'],
  'bar-chosen': ['1;97;44', '1'],
  chosen: ['7', '7'],
};

/** For terminals that only display ASCII. */
const asciiGlyphs: Readonly<Record<string, string>> = {
  '│': '|',
  '─': '-',
  '…': '~',
  '●': '*',
  '○': 'o',
  '▲': '^',
  '▼': 'v',
  '█': '#',
  '░': '.',
  '·': '.',
  ...Object.fromEntries([...'▁▂▃▄▅▆▇'].map((block, at) => [block, '_.-:=+*'[at] as string])),
};

export interface Looks {
  readonly hasColours: boolean;
  readonly hasUnicode: boolean;
}

/**
 * The output that turns a screen with `before` into one with `after`: the lines that differ, each at its
 * position. Without `before` it is the whole screen. Both frames must have the size of the terminal.
 */
export function encodeFrame(after: Frame, before: Frame | undefined, looked: Looks): string {
  const changed = after.flatMap((line, row) => {
    const encoded = encodeLine(line, looked);
    const old = before?.[row];
    if (old !== undefined && encodeLine(old, looked) === encoded) return [];
    return [`\u001b[${row + 1};1H${encoded}`];
  });
  const clear = before === undefined ? '\u001b[0m\u001b[2J' : '';
  return changed.length === 0 && clear === '' ? '' : clear + changed.join('');
}

function encodeLine(line: Line, { hasColours, hasUnicode }: Looks): string {
  let encoded = '';
  for (const { text, style } of line) {
    if (text === '') continue;
    const look = looks[style][hasColours ? 0 : 1];
    const shown = hasUnicode ? text : asciiText(text);
    encoded += look === '' ? shown : `\u001b[${look}m${shown}\u001b[0m`;
  }
  return encoded;
}

function asciiText(text: string): string {
  return text.replace(
    /\P{ASCII}/gu,
    (character) => asciiGlyphs[character] ?? '?'.repeat(textWidth(character)),
  );
}
