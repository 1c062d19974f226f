import { stringify } from 'yaml';

/**
 * YAML text of plain data as clients are used to it: indented by four, texts that an older reader of YAML would take
 * for something else in quotes, long texts as literal blocks. Ends with a newline.
 *
 * Source: Talos v1.14: COSI encoding, YAML peculiarities.
 */
export function encodeYaml(value: unknown): string {
  // A block at the root would not be indented, and lines of `---` in it would end it.
  if (typeof value === 'string' && value.includes('\n'))
    return stringify({ a: value }, options).slice('a: '.length);
  return stringify(value, options);
}

const options = {
  version: '1.1',
  indent: 4,
  lineWidth: 0,
  aliasDuplicateObjects: false,
  blockQuote: 'literal',
  singleQuote: false,
} as const;
