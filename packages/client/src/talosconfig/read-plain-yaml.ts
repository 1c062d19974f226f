// The package for YAML takes longer to parse a talosconfig than a whole command needs otherwise. Almost every talosconfig has been
// written by a talosctl, and uses little of YAML: that little is read here, and everything else is left to the package.

/** A text, a mapping, a list of texts, or null for a key without a value. */
export type PlainValue = string | null | readonly string[] | { readonly [key: string]: PlainValue };

interface Line {
  readonly indent: number;
  /** Undefined for an item of a list. */
  readonly key: string | undefined;
  /** Empty for a key whose value is on the next lines, or nowhere. */
  readonly value: string;
}

/** Longer texts are left to the package. */
const maxLines = 2000;
const mostNesting = 8;

/**
 * No character of a name or of a value has a meaning in YAML, but for a colon, which ends a key only before a blank. YAML limits keys to
 * 1024 characters.
 */
const linePattern =
  /^( *)(?:- ([A-Za-z0-9/+][A-Za-z0-9/+=._:@-]*)|([A-Za-z][A-Za-z0-9_.@-]{0,200}):(?: ([A-Za-z0-9/+][A-Za-z0-9/+=._:@-]*))?)$/;
/** What YAML does not take for a text, besides numbers. */
const wordPattern = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/**
 * Reads a mapping of the plain form: block style, indented by spaces, with unquoted texts, and nothing that YAML could take for
 * something else. Returns `undefined` for every other text, also for one that is not YAML.
 */
export function readPlainYaml(text: string): { readonly [key: string]: PlainValue } | undefined {
  const rows = text.split('\n');
  if (rows.at(-1) === '') rows.pop();
  if (rows.length === 0 || rows.length > maxLines) return undefined;
  const lines: Line[] = [];
  for (const row of rows) {
    const line = readLine(row);
    if (line === undefined) return undefined;
    lines.push(line);
  }
  const reading = new Reading(lines);
  const root = reading.mapping(0, mostNesting);
  return reading.isAtEnd ? root : undefined;
}

function readLine(row: string): Line | undefined {
  const [, spaces = '', item, key, value = ''] = linePattern.exec(row) ?? [];
  if (item === undefined && key === undefined) return undefined;
  const text = item ?? value;
  if (key !== undefined && !isText(key)) return undefined;
  if (text !== '' && !isText(text)) return undefined;
  return { indent: spaces.length, key, value: text };
}

function isText(plain: string): boolean {
  // Also what only JavaScript takes for a number: the package decides.
  return (
    Number.isNaN(Number(plain)) && !wordPattern.test(plain) && !plain.endsWith(':') && !/^\+?\./.test(plain)
  );
}

class Reading {
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#lines.length;
  }

  /** The mapping that begins here, whose keys are all indented by this much; `undefined` when it has another form. */
  mapping(indent: number, nesting: number): { readonly [key: string]: PlainValue } | undefined {
    if (nesting === 0) return undefined;
    const entries = new Map<string, PlainValue>();
    for (;;) {
      const line = this.#lines[this.#at];
      if (line === undefined || line.indent < indent) break;
      const { key, value } = line;
      // YAML takes a list that is not indented more than its key for the value of the key: the package reads it.
      if (line.indent > indent || key === undefined || entries.has(key)) return undefined;
      this.#at += 1;
      const read = value === '' ? this.#below(indent, nesting) : value;
      if (read === undefined) return undefined;
      entries.set(key, read);
    }
    return entries.size === 0 ? undefined : Object.fromEntries(entries);
  }

  /** The value of a key on the lines after it, which are indented more than the key. */
  #below(indent: number, nesting: number): PlainValue | undefined {
    const next = this.#lines[this.#at];
    if (next === undefined || next.indent < indent) return null;
    if (next.indent === indent) return next.key === undefined ? undefined : null;
    return next.key === undefined ? this.#list(next.indent) : this.mapping(next.indent, nesting - 1);
  }

  #list(indent: number): readonly string[] | undefined {
    const items: string[] = [];
    for (;;) {
      const line = this.#lines[this.#at];
      if (line === undefined || line.indent < indent) return items;
      if (line.indent > indent || line.key !== undefined) return undefined;
      items.push(line.value);
      this.#at += 1;
    }
  }
}
