import { encodeInlineText, scalarStyle } from './scalar-style.ts';
import { entriesOf, isYamlList, isYamlMap, PlainScalar, type YamlMap, type YamlValue } from './yaml-value.ts';

// The style of peers differs from what YAML libraries can be set to (4 columns, but 2 after a dash, and then up to the
// next multiple of 4), and comments have their places: hence an encoder of our own.

/** Comments around one key or one element of a list that is no collection. Texts are without the `#`; lines in `before` and `after` may be indented themselves. */
export interface Comment {
  /** Whole lines above the key. */
  readonly above?: readonly string[];
  /** Behind the value, on its line; above the key when the value takes several lines. */
  readonly beside?: string;
  /** Behind the value or, where that takes several lines, behind the key. */
  readonly onFirstLine?: string;
  /** Whole lines below the value, at the column of the key. */
  readonly below?: readonly string[];
}

export type Path = readonly (string | number)[];

export interface EncodeYamlOptions {
  /** Called for each key of each mapping and for such elements; list positions are numbers in the path. */
  readonly comment?: (path: Path) => Comment | undefined;
  /** `json`: as JSON is turned into YAML, with keys sorted, columns of 2, and lists below their key. */
  readonly style?: 'json';
}

/** Longer keys need the explicit form. */
const maxSimpleKeyLength = 128;

/**
 * One document, ending in a newline. Keys are written in the order of the objects.
 *
 * Source: Talos v1.14: machine configuration, encoding.
 */
export function encodeYaml(value: YamlValue, options: EncodeYamlOptions = {}): string {
  const encoder = new Encoder(options);
  if (isYamlMap(value) && !isEmpty(value)) encoder.map(value, 0, []);
  else if (isYamlList(value) && !isEmpty(value)) encoder.list(value, 0, []);
  else
    encoder.lines.push(
      typeof value === 'string' ? encodeInlineText(value) : (inlineOrBlock(value, 0, 0)[0] as string),
    );
  return `${encoder.lines.join('\n')}\n`;
}

/** The column of what is inside something at `column`: the next multiple of 4. */
function deeper(column: number): number {
  return 4 * (Math.floor(column / 4) + 1);
}

function isEmpty(value: YamlMap | readonly YamlValue[]): boolean {
  return isYamlList(value) ? value.length === 0 : entriesOf(value).length === 0;
}

class Encoder {
  readonly lines: string[] = [];
  readonly #options: EncodeYamlOptions;
  /** Behind that line empty lines would belong to a text: it ended in some itself. */
  #endOfOpenText = -1;

  constructor(options: EncodeYamlOptions) {
    this.#options = options;
  }

  /** `lead` stands in place of the indentation of the first line: the dash of a list. */
  map(value: YamlMap, column: number, path: Path, lead?: string): void {
    let first = lead;
    const indentation = ' '.repeat(column);
    for (const [key, child] of this.#entriesOf(value)) {
      const childPath = [...path, key];
      const comment = this.#options.comment?.(childPath);
      const start = this.lines.length;
      const followsOpenText = start === this.#endOfOpenText;
      this.#entry(key, child, column, childPath);
      const hasManyLines = this.lines.length > start + 1;
      if (comment?.beside && !hasManyLines) this.lines[start] += ` # ${comment.beside}`;
      if (comment?.onFirstLine !== undefined) this.lines[start] += ` # ${comment.onFirstLine}`;
      const given = [...(comment?.above ?? []), ...(comment?.beside && hasManyLines ? [comment.beside] : [])];
      const above = followsOpenText ? withoutLeadingEmpty(given) : given;
      this.lines.splice(start, 0, ...commentLines(above, indentation));
      if (this.#endOfOpenText > start) this.#endOfOpenText += above.length;
      if (first !== undefined) {
        // A comment cannot follow a dash: it goes above the item, and the dash stays with the key.
        const at = start + above.length;
        this.lines[at] = first + (this.lines[at] as string).slice(column);
        first = undefined;
      }
      this.#below(comment, indentation);
    }
  }

  #entriesOf(value: YamlMap): [string, YamlValue][] {
    const entries = entriesOf(value);
    return this.#options.style === 'json' ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries;
  }

  #below(comment: Comment | undefined, indentation: string): void {
    const given = comment?.below ?? [];
    const below = this.lines.length === this.#endOfOpenText ? withoutLeadingEmpty(given) : given;
    this.lines.push(...commentLines(below, indentation));
  }

  list(value: readonly YamlValue[], column: number, path: Path, lead?: string): void {
    for (const [at, item] of value.entries()) {
      const dash = `${at === 0 && lead !== undefined ? lead : ' '.repeat(column)}- `;
      const inside = column + 2;
      if (isYamlMap(item) && !isEmpty(item)) this.map(item, inside, [...path, at], dash);
      else if (isYamlList(item) && !isEmpty(item)) this.list(item, inside, [...path, at], dash);
      else this.#element(dash, inlineOrBlock(item, inside, column), column, [...path, at]);
    }
  }

  #element(dash: string, lines: readonly string[], column: number, path: Path): void {
    const comment = this.#options.comment?.(path);
    const indentation = ' '.repeat(column);
    const given = comment?.above ?? [];
    const above = this.lines.length === this.#endOfOpenText ? withoutLeadingEmpty(given) : given;
    this.lines.push(...commentLines(above, indentation));
    const beside = comment?.onFirstLine === undefined ? '' : ` # ${comment.onFirstLine}`;
    this.#push(dash, lines);
    const first = this.lines.length - lines.length;
    this.lines[first] += beside;
    this.#below(comment, indentation);
  }

  #entry(key: string, value: YamlValue, column: number, path: Path): void {
    const name = encodeInlineText(key);
    const indentation = ' '.repeat(column);
    let opening = `${indentation}${name}:`;
    if (name.length > maxSimpleKeyLength) {
      this.lines.push(`${indentation}? ${name}`);
      opening = `${indentation}:`;
    }
    const isJson = this.#options.style === 'json';
    const inside = isJson ? column + 2 : deeper(column);
    if (isYamlMap(value) && !isEmpty(value)) {
      this.lines.push(opening);
      this.map(value, inside, path);
    } else if (isYamlList(value) && !isEmpty(value)) {
      this.lines.push(opening);
      this.list(value, isJson ? column : inside, path);
    } else {
      this.#push(`${opening} `, inlineOrBlock(value, inside, column));
    }
  }

  #push(opening: string, lines: readonly string[]): void {
    // One by one: a text may have more lines than a call takes arguments.
    for (const [at, line] of lines.entries()) this.lines.push(at === 0 ? opening + line : line);
    if (/^\|\d?\+$/.test(lines[0] ?? '')) this.#endOfOpenText = this.lines.length;
  }
}

/** A scalar or an empty collection; the lines after the first carry their own indentation. */
function inlineOrBlock(value: YamlValue, column: number, parentColumn: number): string[] {
  if (typeof value !== 'string') {
    if (isYamlList(value)) return ['[]'];
    if (isYamlMap(value)) return ['{}'];
    if (value instanceof PlainScalar) return [value.text];
    return [encodeNumberOrWord(value)];
  }
  if (scalarStyle(value) !== 'block') return [encodeInlineText(value)];

  const indicator = /^[ \n]/.test(value) ? String(column - parentColumn) : '';
  const chomp = value.endsWith('\n\n') || value === '\n' ? '+' : value.endsWith('\n') ? '' : '-';
  const body = value.endsWith('\n') ? value.slice(0, -1) : value;
  const indentation = ' '.repeat(column);
  return [
    `|${indicator}${chomp}`,
    ...body.split('\n').map((line) => (line === '' ? '' : indentation + line)),
  ];
}

function encodeNumberOrWord(value: null | number | bigint | boolean): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
  }
  return Object.is(value, -0) ? '-0' : String(value);
}

function withoutLeadingEmpty(texts: readonly string[]): readonly string[] {
  const first = texts.findIndex((text) => text !== '');
  return first < 0 ? [] : texts.slice(first);
}

/** An empty comment text is an empty line. */
function commentLines(texts: readonly string[], indentation: string): string[] {
  return texts.map((text) => (text === '' ? '' : `${indentation}# ${text}`));
}
