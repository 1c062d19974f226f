import { schemaFragments } from './tables/fragments.ts';

/**
 * The schema of documents is kept as text, one line a field, because ninety kinds of documents are easier to read and
 * to compare with their source that way than as nested objects. A line is `name type [flags]`, two more columns of
 * indentation make a field a part of the one above.
 */

/** The text form of documents, by kind. */
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
  'strs',
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
  /** Of an `enum`. */
  readonly values: readonly string[];
  /** `!`: written even when it has no value. */
  readonly isAlwaysWritten: boolean;
  /** `!null`, `!word`: what is written then; undefined stands for the empty value of the type. */
  readonly missingText: string | undefined;
  /** `-`: left out when it holds nothing, although booleans and objects that are mentioned are otherwise written. */
  readonly isOmittedWhenEmpty: boolean;
  /** `?`: a zero that is mentioned is not the same as none: it is written, and a patch sets it. */
  readonly keepsZero: boolean;
  /** `=`: a patch replaces it as a whole. */
  readonly isReplaced: boolean;
  /** `[]`: an empty list is not the same as none; written where comments are. */
  readonly keepsEmptyList: boolean;
  /** `~`: a patch of its document that does not mention it clears it. */
  readonly isClearedByAbsence: boolean;
  /** `@key` or `@key|otherKey`: elements of the list that agree in it are merged; `@key=`: they are replaced. */
  readonly elementKeys: readonly string[];
  readonly replacesElements: boolean;
  /** Of an `obj`, of each element of a `list`, of each value of a `map`. */
  readonly fields: FieldMap;
}

/** In the order in which fields are written. */
export type FieldMap = ReadonlyMap<string, FieldSchema>;

/** Throws an Error on a line that is not understood: a mistake in this package. */
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

/** The lines without the margin that they have in common, fragments put in. */
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
  const isEnum = typeText.startsWith('enum:');
  const type = isEnum ? 'enum' : fieldTypes.find((known) => known === typeText);
  const keyFlag = flags.find((flag) => flag.startsWith('@'));
  const always = flags.find((flag) => flag.startsWith('!'));
  if (name === '' || type === undefined) throw new Error(`schema: ${JSON.stringify(line)} is not understood`);
  return {
    name,
    type,
    values: isEnum ? typeText.slice('enum:'.length).split('|') : [],
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
