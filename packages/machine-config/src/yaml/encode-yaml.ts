import { encodeInlineText, scalarStyle } from './scalar-style.ts';
import { entriesOf, isYamlList, isYamlMap, PlainScalar, type YamlMap, type YamlValue } from './yaml-value.ts';

// YAML libraries cannot produce the style of Talos (4 columns, 2 after a dash, then the next multiple of 4)
// and its comments. For this reason the package has its own encoder.

/**
 * Comments for one key, or for one list element that is not a collection. Texts do not contain the `#`. Lines
 * in `above` and `below` may be indented.
 */
export interface Comment {
  /** Lines above the key. */
  readonly above?: readonly string[];
  /** Comment on the line of the value, or above the key when the value has several lines. */
  readonly beside?: string;
  /** Comment on the line of the key, even when the value has several lines. */
  readonly onFirstLine?: string;
  /** Lines below the value, in the column of the key. */
  readonly below?: readonly string[];
}

export type Path = readonly (string | number)[];

export interface EncodeYamlOptions {
  /**
   * Called for each key of each mapping and for each such list element. List indices are numbers in the path.
   */
  readonly comment?: (path: Path) => Comment | undefined;
  /**
   * `json` writes like JSON converted to YAML: sorted keys, 2 spaces of indentation, and lists in the column
   * of their key.
   */
  readonly style?: 'json';
}

/** Longer keys need the explicit form `? key`. */
const maxSimpleKeyLength = 128;

/**
 * Encodes one document, which ends with a newline. Keys keep the order of the objects.
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

/** Returns the column of the children of an item at `column`: the next multiple of 4. */
function deeper(column: number): number {
  return 4 * (Math.floor(column / 4) + 1);
}

function isEmpty(value: YamlMap | readonly YamlValue[]): boolean {
  return isYamlList(value) ? value.length === 0 : entriesOf(value).length === 0;
}

class Encoder {
  readonly lines: string[] = [];
  readonly #options: EncodeYamlOptions;
  /**
   * Number of lines up to the end of a block scalar that ends with empty lines. An empty line added there
   * would become part of that scalar.
   */
  #endOfOpenText = -1;

  constructor(options: EncodeYamlOptions) {
    this.#options = options;
  }

  /** `lead` replaces the indentation of the first line, for the dash of a list. */
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
        // A comment cannot follow a dash. It goes above the item, and the dash stays with the key.
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
    // Push line by line: a text may have more lines than a call can have arguments.
    for (const [at, line] of lines.entries()) this.lines.push(at === 0 ? opening + line : line);
    if (/^\|\d?\+$/.test(lines[0] ?? '')) this.#endOfOpenText = this.lines.length;
  }
}

/** Returns the lines of a scalar or an empty collection. Lines after the first include their indentation. */
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

/** An empty text becomes an empty line. */
function commentLines(texts: readonly string[], indentation: string): string[] {
  return texts.map((text) => (text === '' ? '' : `${indentation}# ${text}`));
}
