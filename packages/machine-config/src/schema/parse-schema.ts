import { schemaFragments } from './tables/fragments.ts';

/**
 * The schema of documents is text with one line per field. For ninety kinds of documents, text is easier to
 * read and to compare with its source than nested objects. A line is `name type [flags]`. A line with two
 * more spaces of indentation is a child of the line above.
 */

/** The text form of the schema, by kind. */
export type SchemaTable = Readonly<Record<string, string>>;

const fieldTypes = [
  'str',
  'bool',
  'int',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'dur', // Go duration
  'mode', // octal file mode
  'mac',
  'size', // bytes, or text with a unit
  'manifest', // text without empty lines at its beginning
  'url',
  'ip',
  'prefix', // address/length
  'bytes', // a size with or without a unit
  'limit', // a size, a percentage, or either with a `-` in front
  'enum', // enum:a|b|c
  'table', // a routing table: a name or a number from 1 to 252
  'strs',
  'enums', // enums:a|b|c, a list
  'ips',
  'prefixes',
  'ints',
  'ports', // list of numbers or "lo-hi"
  'obj',
  'list', // list of objects
  'map', // map of objects
  'map:str',
  'map:bool',
  'args', // map of texts or lists of texts
  'free', // free-form object
  'frees', // list of free-form objects
] as const;

export type FieldType = (typeof fieldTypes)[number];

export interface FieldSchema {
  readonly name: string;
  readonly type: FieldType;
  /** Values of an `enum`, or of each element of `enums`. */
  readonly values: readonly string[];
  /** `""`: an `enum` whose empty text is accepted and means that the field is not set. */
  readonly acceptsEmpty: boolean;
  /** `!`: written even when it is not set. */
  readonly isAlwaysWritten: boolean;
  /**
   * `!null`, `!word`: the value written when the field is not set. `undefined` means the zero value of the
   * type.
   */
  readonly missingText: string | undefined;
  /** `-`: omitted when empty. Without this flag, booleans and objects that are set are always written. */
  readonly isOmittedWhenEmpty: boolean;
  /** `?`: a zero differs from an unset field. It is written, and a patch may set it. */
  readonly keepsZero: boolean;
  /** `=`: a patch replaces the whole value. */
  readonly isReplaced: boolean;
  /** `[]`: an empty list differs from an unset field. It is written when comments are written. */
  readonly keepsEmptyList: boolean;
  /** `~`: a patch of the document that does not set the field clears it. */
  readonly isClearedByAbsence: boolean;
  /** `@key` or `@key|otherKey`: list elements with an equal key are merged. `@key=`: they are replaced. */
  readonly elementKeys: readonly string[];
  readonly replacesElements: boolean;
  /** Fields of an `obj`, of each element of a `list`, or of each value of a `map`. */
  readonly fields: FieldMap;
}

/** Fields by name, in the order in which they are written. */
export type FieldMap = ReadonlyMap<string, FieldSchema>;

/**
 * Parses the schema of a kind.
 *
 * @throws Error if a line is malformed, which is a mistake in this package
 */
export function parseSchema(text: string): FieldMap {
  const root = new Map<string, FieldSchema>();
  const lines = linesOf(text);
  const open: Map<string, FieldSchema>[] = [root];
  for (const line of lines) {
    const depth = indentationOf(line) / 2;
    const siblings = open[depth];
    if (siblings === undefined) throw new Error(`schema: no parent for ${JSON.stringify(line)}`);
    const fields = new Map<string, FieldSchema>();
    const field = parseField(line.trim(), fields);
    siblings.set(field.name, field);
    open.length = depth + 1;
    open.push(fields);
  }
  return root;
}

/** Splits the text into lines, removes their common indentation and expands fragments. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const margin = Math.min(...lines.map(indentationOf));
  return lines.flatMap((line) => {
    const [, indentation = '', name] = /^( *)\+(\w+)$/.exec(line.slice(margin)) ?? [];
    if (name === undefined) return [line.slice(margin)];
    const fragment = schemaFragments[name];
    if (fragment === undefined) throw new Error(`schema: there is no fragment ${name}`);
    return linesOf(fragment).map((part) => indentation + part);
  });
}

function indentationOf(line: string): number {
  return line.length - line.trimStart().length;
}

function parseField(line: string, fields: FieldMap): FieldSchema {
  const [name = '', typeText = '', ...flags] = line.split(' ');
  const [typeName = '', valuesText] = typeText.startsWith('enum') ? typeText.split(':') : [typeText];
  const type = fieldTypes.find((known) => known === typeName);
  const keyFlag = flags.find((flag) => flag.startsWith('@'));
  const always = flags.find((flag) => flag.startsWith('!'));
  if (name === '' || type === undefined) throw new Error(`schema: ${JSON.stringify(line)} is not understood`);
  return {
    name,
    type,
    values: valuesText?.split('|') ?? [],
    acceptsEmpty: flags.includes('""'),
    isAlwaysWritten: always !== undefined,
    missingText: always?.slice(1) || undefined,
    isOmittedWhenEmpty: flags.includes('-'),
    keepsZero: flags.includes('?'),
    isReplaced: flags.includes('='),
    keepsEmptyList: flags.includes('[]'),
    isClearedByAbsence: flags.includes('~'),
    elementKeys: keyFlag ? keyFlag.slice(1).replace(/=$/, '').split('|') : [],
    replacesElements: keyFlag?.endsWith('=') ?? false,
    fields,
  };
}
