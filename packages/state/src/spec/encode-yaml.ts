import { type ScalarTag, stringify, type Tags } from 'yaml';
import { PlainScalar } from './plain-scalar.ts';

const plainScalars: ScalarTag = {
  identify: (value) => value instanceof PlainScalar,
  tag: 'tag:yaml.org,2002:str',
  default: true,
  resolve: (text) => text,
  stringify: ({ value }) => (value as PlainScalar).text,
};

const options = {
  version: '1.1',
  indent: 4,
  lineWidth: 0,
  aliasDuplicateObjects: false,
  blockQuote: 'literal',
  singleQuote: false,
  customTags: (tags: Tags) => [plainScalars, ...tags],
} as const;

/**
 * Encodes plain data in the YAML style that clients expect: 4 spaces of indentation, long strings as literal
 * blocks, and quotes around strings that a YAML 1.1 reader would decode as another type. Ends with a newline.
 *
 * Source: Talos v1.14: COSI encoding, YAML peculiarities.
 */
export function encodeYaml(value: unknown): string {
  const simple = simpleBlock(value, '');
  if (simple !== undefined) return simple;
  // The library does not indent a block at the root, and lines of `---` in the text would end it.
  if (typeof value === 'string' && value.includes('\n')) {
    return stringify({ a: value }, options).slice('a: '.length);
  }
  return stringify(value, options);
}

// Most specs are maps of short words, and the library takes ten times as long to encode them. Specs are
// encoded for every event of every watch. So simple values are encoded here, with the same result as the
// library; a test compares both.

const simpleWord = /^(?:[A-Za-z_/][\w./+-]*(?: [\w./+()-]+)*|\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,3})?)$/;
/** Words that a reader may decode as another type. */
const otherThanText = /^(?:y|n|yes|no|on|off|true|false|null|e[\d_+-].*)$/i;

/**
 * Encodes a map of simple scalars, lists of scalars and such maps. Returns `undefined` for any other value.
 */
function simpleBlock(value: unknown, indent: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  let text = '';
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    if (!isSimpleWord(key) || key.includes(' ')) return undefined;
    const part = simpleValue(item, `${indent}    `);
    if (part === undefined) return undefined;
    text += `${indent}${key}:${part}\n`;
  }
  return text === '' ? undefined : text;
}

/** Returns the text after the colon, without its last newline. */
function simpleValue(value: unknown, indent: string): string | undefined {
  const scalar = simpleScalar(value);
  if (scalar !== undefined) return ` ${scalar}`;
  if (!Array.isArray(value)) {
    const block = simpleBlock(value, indent);
    return block === undefined ? undefined : `\n${block.slice(0, -1)}`;
  }
  if (value.length === 0) return ' []';
  const items = value.map(simpleScalar);
  if (items.includes(undefined)) return undefined;
  return items.map((item) => `\n${indent}- ${item}`).join('');
}

function simpleScalar(value: unknown): string | undefined {
  if (value instanceof PlainScalar) return value.text;
  if (typeof value === 'boolean' || Number.isSafeInteger(value))
    return Object.is(value, -0) ? undefined : `${value}`;
  if (value === '') return '""';
  return typeof value === 'string' && isSimpleWord(value) ? value : undefined;
}

function isSimpleWord(text: string): boolean {
  return text.length < 200 && simpleWord.test(text) && !otherThanText.test(text);
}
