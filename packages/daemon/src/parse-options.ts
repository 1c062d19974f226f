import { parseArgs } from 'node:util';
import { Fault } from '@nodewright/fault';
import { flagFromKey, type OptionSpec, type OptionTable, type OptionValues } from './option.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const booleans: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** Converts `text` to the type of the option; `undefined` when it is malformed. */
function convert(spec: OptionSpec, text: string): string | number | boolean | string[] | undefined {
  switch (spec.type) {
    case 'string':
      return text;
    case 'path':
      return text === '' ? undefined : text;
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'boolean':
      return booleans[text.toLowerCase()];
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'duration': {
      const match = /^(\d{1,12})(ms|s|m|h)$/.exec(text);
      return match === null ? undefined : Number(match[1]) * (unitMs[match[2] ?? ''] ?? Number.NaN);
    }
  }
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? 'an' : 'a');

function readFlags(options: OptionTable, args: readonly string[]): Record<string, string | undefined> {
  const byFlag = Object.entries(options).map(([key, spec]) => [flagFromKey(key), spec] as const);
  const config = Object.fromEntries(
    byFlag.map(([flag, { type }]) => [flag, { type: type === 'boolean' ? 'boolean' : 'string' } as const]),
  );
  try {
    const { values } = parseArgs({
      args: [...args],
      options: config,
      allowNegative: true,
      allowPositionals: false,
    });
    return Object.fromEntries(
      Object.entries(values).map(([flag, value]) => [flag, value === undefined ? undefined : String(value)]),
    );
  } catch (error) {
    // The message of Node consists of several sentences; only the first one names the flag.
    const [first = ''] = (error as Error).message.split('. ');
    throw new Fault('invalid-argument', first.charAt(0).toLowerCase() + first.slice(1), { cause: error });
  }
}

/**
 * Reads the options of a daemon from its flags and its environment.
 *
 * @throws Fault `invalid-argument` with one line that names the flag, the variable and the value that is
 * missing, unknown or malformed
 */
export function parseOptions<T extends OptionTable>(
  options: T,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): OptionValues<T> {
  const flags = readFlags(options, args);
  const values: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(options)) {
    const flag = flagFromKey(key);
    const fromFlag = flags[flag];
    const text = fromFlag ?? environment[spec.env];
    const source = fromFlag === undefined ? spec.env : `--${flag}`;
    if (text === undefined || (text === '' && fromFlag === undefined)) {
      if (spec.required === true) {
        throw new Fault('invalid-argument', `--${flag} (or ${spec.env}) is required: ${spec.description}`);
      }
      values[key] =
        spec.type === 'duration' && typeof spec.default === 'string'
          ? convert(spec, spec.default)
          : spec.default;
      continue;
    }
    const value = convert(spec, text);
    if (value === undefined) {
      throw new Fault(
        'invalid-argument',
        `${source} must be ${article(spec.type)} ${spec.type}, not "${text}"`,
      );
    }
    if (spec.choices !== undefined && !spec.choices.includes(text)) {
      throw new Fault(
        'invalid-argument',
        `${source} must be one of ${spec.choices.join(', ')}, not "${text}"`,
      );
    }
    values[key] = value;
  }
  return values as OptionValues<T>;
}
