import { textWidth } from '../../cli/talosctl/src/output/terminal-text.ts';
import { type Run, type ScreenLine, screenColours } from './parse-screen.ts';

/** What a terminal showed for some time. */
export interface TerminalFrame {
  readonly lines: readonly ScreenLine[];
  readonly seconds: number;
}

export interface TerminalPicture {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** One frame is a still picture; several are played again and again. */
  readonly frames: readonly TerminalFrame[];
}

const [cellWidth, cellHeight, fontSize, margin] = [8, 18, 13.3, 12];
/** Between frames on the film, because some fonts draw a little outside of their cells. */
const gap = 40;
/** Time during which the last frame stays, in addition to its own. */
const restSeconds = 3;

/** A terminal as SVG without scripts and without fonts of its own, so that it can be shown as an image. */
export function drawTerminal({ title, columns, rows, frames }: TerminalPicture): string {
  const [width, height] = [columns * cellWidth, rows * cellHeight];
  const lines = new LineTable();
  const drawn = frames.map(({ lines: shown }, at) => {
    const uses = shown.map((line, row) => lines.use(line, at * (width + gap), row)).join('');
    return `<g>${uses}</g>`;
  });
  const outer = `0 0 ${width + 2 * margin} ${height + 2 * margin}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${outer}" width="${width + 2 * margin}" height="${height + 2 * margin}" role="img" aria-labelledby="title">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<style>${textStyle}${filmStyle(frames, width)}</style>`,
    `<defs><clipPath id="screen"><rect width="${width}" height="${height}"/></clipPath>${lines.definitions()}</defs>`,
    `<rect width="100%" height="100%" rx="8" fill="${screenColours.background}"/>`,
    `<g transform="translate(${margin} ${margin})" clip-path="url(#screen)"><g class="film">`,
    ...drawn,
    '</g></g></svg>',
    '',
  ].join('\n');
}

const textStyle =
  `rect{shape-rendering:crispEdges}text{font:${fontSize}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;` +
  `fill:${screenColours.foreground};white-space:pre}.b{font-weight:700}.d{opacity:.65}`;

/**
 * All frames stand side by side, and the film is moved by one frame at a time. Who prefers no motion sees the last one.
 */
function filmStyle(frames: readonly TerminalFrame[], width: number): string {
  if (frames.length < 2) return '';
  const total = frames.reduce((sum, { seconds }) => sum + seconds, restSeconds);
  let passed = 0;
  const steps = frames.map(({ seconds }, at) => {
    const percent = ((passed / total) * 100).toFixed(3);
    passed += seconds;
    return `${percent}%{transform:translateX(${-at * (width + gap)}px)}`;
  });
  const last = `translateX(${-(frames.length - 1) * (width + gap)}px)`;
  return (
    `@keyframes film{${steps.join('')}100%{transform:${last}}}` +
    `.film{animation:film ${total.toFixed(2)}s steps(1,end) infinite}` +
    `@media (prefers-reduced-motion:reduce){.film{animation:none;transform:${last}}}`
  );
}

/** Each different line is drawn once, and used by every frame that shows it. */
class LineTable {
  readonly #ids = new Map<string, string>();

  use(line: ScreenLine, x: number, row: number): string {
    const drawn = line.map(drawRun).join('');
    if (drawn === '') return '';
    const id = this.#ids.get(drawn) ?? `l${this.#ids.size}`;
    this.#ids.set(drawn, id);
    return `<use href="#${id}" x="${x}" y="${row * cellHeight}"/>`;
  }

  definitions(): string {
    return [...this.#ids].map(([drawn, id]) => `<g id="${id}">${drawn}</g>`).join('\n');
  }
}

/** Characters that are drawn as shapes, because those of a font leave gaps between lines. */
const shapes = /([█▁▂▃▄▅▆▇░│─]+)/;
const eighths = '▁▂▃▄▅▆▇█';

function drawRun({ text, column, columns, colour, background, isBold, isDim }: Run): string {
  const box =
    background === undefined
      ? ''
      : `<rect x="${column * cellWidth}" width="${columns * cellWidth}" height="${cellHeight}" fill="${background}"/>`;
  let at = column;
  const parts = text.split(shapes).map((part, index) => {
    const start = at;
    at += textWidth(part);
    if (index % 2 === 1) return drawShapes(part, start, colour ?? screenColours.foreground, isDim);
    return drawText(part, start, { colour, isBold, isDim });
  });
  return box + parts.join('');
}

/** Equal characters next to each other are one shape. */
function drawShapes(text: string, column: number, colour: string, isDim: boolean): string {
  const drawn: string[] = [];
  for (const { 0: same, index } of text.matchAll(/(.)\1*/gu)) {
    const [x, width] = [(column + index) * cellWidth, same.length * cellWidth];
    const [character = ''] = same;
    const rect = (left: number, top: number, wide: number, high: number, opacity = isDim ? 0.65 : 1) =>
      `<rect x="${left}" y="${top}" width="${wide}" height="${high}" fill="${colour}"${opacity === 1 ? '' : ` opacity="${opacity}"`}/>`;
    const level = eighths.indexOf(character) + 1;
    if (character === '─') drawn.push(rect(x, cellHeight / 2 - 0.5, width, 1));
    else if (character === '░') drawn.push(rect(x, 2, width, cellHeight - 4, 0.25));
    else if (character === '│')
      for (let each = 0; each < same.length; each += 1)
        drawn.push(rect(x + each * cellWidth + cellWidth / 2 - 0.5, 0, 1, cellHeight));
    else {
      const height = (cellHeight * level) / eighths.length;
      drawn.push(rect(x, cellHeight - height, width, height));
    }
  }
  return drawn.join('');
}

function drawText(
  text: string,
  column: number,
  { colour, isBold, isDim }: Pick<Run, 'isBold' | 'isDim'> & { readonly colour: string | undefined },
): string {
  if (text.trim() === '') return '';
  // Blanks at both ends need no drawing, and would be drawn at another width by some fonts.
  const indent = text.length - text.trimStart().length;
  const shown = text.trim();
  const look = [isBold ? 'b' : '', isDim ? 'd' : ''].filter(Boolean).join(' ');
  const attributes = [
    `x="${(column + indent) * cellWidth}" y="13.5" textLength="${textWidth(shown) * cellWidth}" lengthAdjust="spacingAndGlyphs"`,
    look === '' ? '' : ` class="${look}"`,
    // A style, because the sheet has precedence over attributes.
    colour === undefined ? '' : ` style="fill:${colour}"`,
  ].join('');
  return `<text ${attributes}>${escapeXml(shown)}</text>`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
